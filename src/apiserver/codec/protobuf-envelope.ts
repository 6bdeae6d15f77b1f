/** The envelope of every protobuf message (upstream's `runtime.Unknown`), which names the kind. */
import { delimited, WireError, WireReader, WireWriter } from "./wire.js";

/** The prefix of every message, which no other format has. */
const magic = Buffer.from("k8s\0");

/** The last fields of the envelope, encoding and content type, which are always present and empty. */
export const envelopeTail: Uint8Array = Buffer.from([(3 << 3) | delimited, 0, (4 << 3) | delimited, 0]);

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** Writes the head of the envelope, with the kind, before a message of `length` bytes. */
export function closeEnvelope(
  writer: WireWriter,
  { apiVersion, kind, length }: { readonly apiVersion: string; readonly kind: string; readonly length: number },
): void {
  writer.uint32(length);
  writer.tag(2, delimited);
  const before = writer.length;
  writer.string(kind);
  writer.tag(2, delimited);
  writer.string(apiVersion);
  writer.tag(1, delimited);
  writer.uint32(writer.length - before);
  writer.tag(1, delimited);
  writer.raw(magic);
}

/** Throws WireError for bytes that are not an envelope. */
export function openEnvelope(bytes: Uint8Array): Envelope {
  if (!magic.equals(bytes.subarray(0, magic.length))) {
    throw new WireError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  const reader = new WireReader(bytes, magic.length);
  let envelope: Envelope = { apiVersion: "", kind: "", raw: new Uint8Array() };
  while (!reader.done) {
    const tag = reader.uint32();
    if (tag === ((1 << 3) | delimited)) envelope = { ...envelope, ...typeMeta(reader.message()) };
    else if (tag === ((2 << 3) | delimited)) envelope = { ...envelope, raw: reader.bytes() };
    else reader.skip(tag & 7);
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
