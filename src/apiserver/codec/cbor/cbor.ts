/** The CBOR codec: a document of CBOR becomes JSON and is handled as that; objects are written as CBOR. */
import { type GroupVersionKind, type KubeObject, newBadRequest } from "../../../api/index.js";
import { builtInTypeOf } from "../../../api/schema/index.js";
import { cooperative } from "../../../base/index.js";
import type { Codec } from "../../contracts/codec.js";
import { decodeJson, unhandled, unrecognized } from "../json.js";
import { CborError, cborToJson } from "./to-json.js";
import { CborWriter, writeCbor } from "./write.js";

export const cborMediaType = "application/cbor";

/** The media type of a watch: a sequence of documents (RFC 8742). */
export const cborStream = "application/cbor-seq";

export const cborCodec: Codec = {
  mediaType: cborMediaType,
  *decode(bytes, expected) {
    const json = jsonOf(bytes, expected);
    yield;
    return yield* decodeJson(json, expected);
  },
  encode: (object) => writeCbor(object),
  encodeList,
  encodeWatchEvent(type, object) {
    const writer = new CborWriter();
    writer.document({ type });
    return withObject(writer.finish(), object);
  },
};

const mapOfOne = 0xa1;
const objectKey = writeCbor("object").subarray(3);

/** Puts the object, which is written already, into the event before it as its second member. */
function withObject(event: Buffer, object: Uint8Array): Uint8Array {
  const two = Buffer.from(event);
  two[3] = mapOfOne + 1;
  return Buffer.concat([two, objectKey, object]);
}

function jsonOf(bytes: Uint8Array, expected: GroupVersionKind | undefined): string {
  try {
    return cborToJson(bytes);
  } catch (error) {
    if (!(error instanceof CborError)) throw error;
    if (error.isMalformed || expected === undefined)
      throw unrecognized(bytes, expected, `unable to determine group/version/kind: ${error.message}`);
    throw unhandled(expected, expected, error.message);
  }
}

/** The JSON text of an applied configuration in CBOR; throws a 400. */
export function appliedCborToJson(bytes: Uint8Array): Uint8Array {
  try {
    return Buffer.from(cborToJson(bytes));
  } catch (error) {
    if (error instanceof CborError) throw newBadRequest(`error decoding YAML: ${error.message}`);
    throw error;
  }
}

/** The items of one piece: enough to be worth sending, few enough for one slice of time. */
const itemsAtOnce = 64;
const openList = Buffer.from([0x9f]);
const endOfList = Buffer.from([0xff]);

/** The items are an array without a length, because it is sent before all of them are known. */
async function* encodeList(
  list: { readonly apiVersion: string; readonly kind: string; readonly metadata: object },
  items: Iterable<KubeObject>,
): AsyncGenerator<Uint8Array> {
  const head = new CborWriter();
  head.document(list);
  const bytes = Buffer.from(head.finish());
  bytes[3] = (bytes[3] as number) + 1;
  yield Buffer.concat([bytes, writeCbor("items").subarray(3), openList]);
  const isBuiltIn = builtInTypeOf(list.apiVersion, list.kind) !== undefined;
  const slice = cooperative();
  let writer = new CborWriter();
  let count = 0;
  for (const item of items) {
    writer.value(isBuiltIn ? { ...item, kind: undefined, apiVersion: undefined } : item);
    count += 1;
    if (count % itemsAtOnce !== 0) continue;
    yield writer.finish();
    writer = new CborWriter();
    if (slice.due()) await slice.pause();
  }
  yield Buffer.concat([writer.finish(), endOfList]);
}
