/**
 * Reads answers as caches read objects: each part at its first use; and from a server in this process, the object itself
 * without decoding anything.
 */
import { lazyDecoder } from "../../api/decode/decoder.js";
import { hasNoNulls, withoutNullMembers } from "../../api/meta/nulls.js";
import type { KubeObject } from "../../api/object.js";
import type { ResourceType } from "../../api/resource-type.js";
import { asBuffer, malformed, type ReadAnswer, readAll, readObject } from "./exchange.js";

const newline = 0x0a;

/** One reader for each kind, because objects of one kind look alike. */
export class LeanAnswers {
  readonly #readers = new WeakMap<object, ReadAnswer<unknown>>();

  /** For answers to writes: the objects lack `metadata.managedFields`. */
  of(type: ResourceType): ReadAnswer<unknown> {
    let reader = this.#readers.get(type);
    if (reader === undefined) this.#readers.set(type, (reader = leanReader()));
    return reader;
  }

  /** For answers to reads: the objects are whole. */
  readonly whole: ReadAnswer<unknown> = async (response, maxBytes) => {
    const { body, value } = response;
    if (value === undefined || !(body instanceof Uint8Array) || body.length > maxBytes) {
      return await readObject(response, maxBytes);
    }
    const object = value() as KubeObject;
    return hasNoNulls(object) ? withoutNullMembers(object, asBuffer(body)) : object;
  };
}

function leanReader(): ReadAnswer<unknown> {
  const decode = lazyDecoder();
  return async ({ body, value }, maxBytes) => {
    const isHere = body instanceof Uint8Array && body.length <= maxBytes;
    if (isHere && value !== undefined) return withoutOwners(value() as KubeObject, asBuffer(body));
    const bytes = isHere ? asBuffer(body) : await readAll(body, maxBytes);
    const end = bytes[bytes.length - 1] === newline ? bytes.length - 1 : bytes.length;
    try {
      return decode(bytes, 0, end);
    } catch (error) {
      throw malformed(bytes.toString("utf8"), error);
    }
  };
}

/** The object that `lazyDecoder` would give for the text, made of the parts of `object`, which says the same as the text. */
function withoutOwners(object: KubeObject, text: Buffer): KubeObject {
  const { managedFields: _, ...shown } = object.metadata;
  const lean = { ...object, metadata: shown as KubeObject["metadata"] };
  if (hasNoNulls(lean)) return withoutNullMembers(lean, text);
  return { ...lean, metadata: withoutNullMembers(lean.metadata, text) };
}
