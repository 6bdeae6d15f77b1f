/** The protobuf codec of the built-in kinds: the envelope that names the kind, and the message inside. */
import { apiVersionOf, type GroupVersionKind, type KubeObject, newNotAcceptable, ParseError } from "../../api/index.js";
import { typedForm, TypeMismatch, builtInTypeOf } from "../../api/schema/index.js";
import type { Steps } from "../../base/index.js";
import type { Codec, Decoded } from "../contracts/codec.js";
import { unhandled, unrecognized, unregistered } from "./json.js";
import { decodeMessage } from "./protobuf-decode.js";
import { encodeMessage } from "./protobuf-encode.js";
import { closeEnvelope, type Envelope, envelopeTail, openEnvelope } from "./protobuf-envelope.js";
import { encodeProtobufList } from "./protobuf-list.js";
import { delimited, WireError, WireReader, WireWriter } from "./wire.js";

export const protobufMediaType = "application/vnd.kubernetes.protobuf";

/** Encodes built-in kinds. Custom kinds have no protobuf form: encoding one throws 406. */
export const protobufCodec: Codec = {
  mediaType: protobufMediaType,

  *decode(bytes: Uint8Array, expected: GroupVersionKind | undefined): Steps<Decoded> {
    const envelope = envelopeOf(bytes, expected);
    const apiVersion = envelope.apiVersion || (expected ? apiVersionOf(expected) : "");
    const kind = envelope.kind || (expected?.kind ?? "");
    const type = builtInTypeOf(apiVersion, kind);
    if (kind === "") throw unrecognized(bytes, expected, "Object 'Kind' is missing");
    const given = { group: "", version: apiVersion.split("/").at(-1) ?? "", kind };
    if (type === undefined) throw unhandled(given, expected ?? given, unregistered(apiVersion, kind));
    try {
      const message = decodeMessage(new WireReader(envelope.raw), type, { kind, apiVersion });
      yield;
      return { object: typedForm(type, message) as unknown as KubeObject, problems: [] };
    } catch (error) {
      if (error instanceof WireError || error instanceof TypeMismatch || error instanceof ParseError)
        throw unhandled(given, expected ?? given, error.message);
      throw error;
    }
  },

  encode: (object: KubeObject): Uint8Array => written(object, new WireWriter()),

  encodeList: encodeProtobufList,

  encodeWatchEvent(type: string, object: Uint8Array): Uint8Array {
    const writer = new WireWriter(object.length + 64);
    writer.bytes(object);
    writer.tag(1, delimited);
    writer.uint32(writer.length);
    writer.tag(2, delimited);
    writer.string(type);
    writer.tag(1, delimited);
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(writer.length);
    writer.raw(length);
    return writer.finish();
  },
};

/** Whether the object takes at most this many bytes. It is encoded as far as that. */
export function fitsInProtobuf(object: KubeObject, limit: number): boolean {
  try {
    return written(object, new WireWriter(limit, limit)).length <= limit;
  } catch (error) {
    if (error instanceof WireError) return false;
    throw error;
  }
}

function written(object: KubeObject, writer: WireWriter): Uint8Array {
  const { apiVersion, kind } = object;
  const type = builtInTypeOf(apiVersion, kind);
  if (type === undefined) throw newNotAcceptable(`${apiVersion}, Kind=${kind} has no protobuf form`);
  writer.raw(envelopeTail);
  encodeMessage(writer, type, object as unknown as Readonly<Record<string, unknown>>);
  closeEnvelope(writer, { apiVersion, kind, length: writer.length - envelopeTail.length });
  return writer.finish();
}

function envelopeOf(bytes: Uint8Array, expected: GroupVersionKind | undefined): Envelope {
  try {
    return openEnvelope(bytes);
  } catch (error) {
    if (error instanceof WireError) throw unrecognized(bytes, expected, error.message);
    throw error;
  }
}
