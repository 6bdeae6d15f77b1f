/** The protobuf codec of the built-in kinds: the envelope that names the kind, and the message inside. */
import {
  apiVersionOf,
  type GroupVersionKind,
  type KubeObject,
  newBadRequest,
  newNotAcceptable,
  ParseError,
} from "../../api/index.js";
import { typedForm, TypeMismatch, typeOf } from "../../api/schema/index.js";
import type { Codec, Decoded } from "../http/providers.js";
import { unhandled, unregistered } from "./json.js";
import { decodeMessage } from "./protobuf-decode.js";
import { encodeMessage } from "./protobuf-encode.js";
import { delimited, WireError, WireReader, WireWriter } from "./wire.js";

export const protobufMediaType = "application/vnd.kubernetes.protobuf";

/** Every message starts with this, so that nobody takes it for another format. */
const magic = Buffer.from("k8s\0");

/** The envelope's last fields, encoding and content type of the message, which are always there and always empty. */
const tail = Buffer.from([(3 << 3) | delimited, 0, (4 << 3) | delimited, 0]);

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
  readonly contentType: string;
}

/** Bytes of built-in kinds. Custom kinds have no protobuf form: encoding one throws 406. */
export const protobufCodec: Codec = {
  mediaType: protobufMediaType,

  decode(bytes: Uint8Array, expected: GroupVersionKind | undefined): Decoded {
    try {
      const envelope = openEnvelope(bytes);
      const apiVersion = envelope.apiVersion || (expected ? apiVersionOf(expected) : "");
      const kind = envelope.kind || (expected?.kind ?? "");
      const type = typeOf(apiVersion, kind);
      if (type === undefined) throw unknownKind(apiVersion, kind, expected);
      const message = decodeMessage(new WireReader(envelope.raw), type, { kind, apiVersion });
      return { object: typedForm(type, message) as unknown as KubeObject, problems: [] };
    } catch (error) {
      if (error instanceof WireError || error instanceof TypeMismatch || error instanceof ParseError)
        throw newBadRequest(error.message);
      throw error;
    }
  },

  encode(object: KubeObject): Uint8Array {
    const { apiVersion, kind } = object;
    const type = typeOf(apiVersion, kind);
    if (type === undefined) throw newNotAcceptable(`${apiVersion}, Kind=${kind} has no protobuf form`);
    const writer = new WireWriter();
    writer.raw(tail);
    encodeMessage(writer, type, object as unknown as Readonly<Record<string, unknown>>);
    closeEnvelope(writer, apiVersion, kind);
    return writer.finish();
  },

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

/** Writes in front of the message what says which message it is. */
function closeEnvelope(writer: WireWriter, apiVersion: string, kind: string): void {
  const length = writer.length - tail.length;
  const head = new WireWriter(128);
  head.uint32(length);
  head.tag(2, delimited);
  const before = head.length;
  head.string(kind);
  head.tag(2, delimited);
  head.string(apiVersion);
  head.tag(1, delimited);
  head.uint32(head.length - before);
  head.tag(1, delimited);
  writer.raw(head.finish());
  writer.raw(magic);
}

function openEnvelope(bytes: Uint8Array): Envelope {
  if (!magic.equals(bytes.subarray(0, magic.length))) {
    throw new WireError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  const reader = new WireReader(bytes, magic.length);
  let envelope: Envelope = { apiVersion: "", kind: "", raw: new Uint8Array(), contentType: "" };
  while (!reader.done) {
    const tag = reader.uint32();
    if ((tag & 7) !== delimited) {
      reader.skip(tag & 7);
      continue;
    }
    if (tag >>> 3 === 1) envelope = { ...envelope, ...typeMeta(reader.message()) };
    else if (tag >>> 3 === 2) envelope = { ...envelope, raw: reader.bytes() };
    else if (tag >>> 3 === 4) envelope = { ...envelope, contentType: reader.string() };
    else reader.skip(delimited);
  }
  return envelope;
}

function typeMeta(reader: WireReader): { readonly apiVersion: string; readonly kind: string } {
  const found = { apiVersion: "", kind: "" };
  while (!reader.done) {
    const tag = reader.uint32();
    if (tag === ((1 << 3) | delimited)) found.apiVersion = reader.string();
    else if (tag === ((2 << 3) | delimited)) found.kind = reader.string();
    else reader.skip(tag & 7);
  }
  return found;
}

function unknownKind(apiVersion: string, kind: string, expected: GroupVersionKind | undefined): Error {
  if (kind === "") return newBadRequest("Object 'Kind' is missing in the protobuf message");
  const given = { group: "", version: apiVersion.split("/").at(-1) ?? "", kind };
  return unhandled(given, expected ?? given, unregistered(apiVersion, kind));
}
