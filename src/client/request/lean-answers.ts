/** Reads answers to writes as caches read objects: each part at its first use. */
import { lazyDecoder } from "../../api/decode/decoder.js";
import type { ResourceType } from "../../api/resource-type.js";
import { asBuffer, malformed, type ReadAnswer, readAll } from "./exchange.js";

const newline = 0x0a;

/** One reader for each kind, because objects of one kind look alike. The objects lack `metadata.managedFields`. */
export class LeanAnswers {
  readonly #readers = new WeakMap<object, ReadAnswer<unknown>>();

  of(type: ResourceType): ReadAnswer<unknown> {
    let reader = this.#readers.get(type);
    if (reader === undefined) this.#readers.set(type, (reader = leanReader()));
    return reader;
  }
}

function leanReader(): ReadAnswer<unknown> {
  const decode = lazyDecoder();
  return async ({ body }, maxBytes) => {
    const isHere = body instanceof Uint8Array && body.length <= maxBytes;
    const bytes = isHere ? asBuffer(body) : await readAll(body, maxBytes);
    const end = bytes[bytes.length - 1] === newline ? bytes.length - 1 : bytes.length;
    try {
      return decode(bytes, 0, end);
    } catch (error) {
      throw malformed(bytes.toString("utf8"), error);
    }
  };
}
