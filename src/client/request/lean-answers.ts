/** Reads answers to writes as caches read objects: each part when it is first asked for. From resource clients; to api/decode. */
import type { HttpResponse } from "../../base/index.js";
import { lazyDecoder } from "../../api/decode/decoder.js";
import type { ResourceType } from "../../api/resource-type.js";
import { asBuffer, malformed, readAll } from "./exchange.js";

export type ReadAnswer = (response: HttpResponse) => Promise<unknown>;

const newline = 0x0a;

/** A reader for each kind, since objects of one kind look alike. Their objects are without `metadata.managedFields`. */
export class LeanAnswers {
  readonly #readers = new WeakMap<object, ReadAnswer>();

  of(type: ResourceType): ReadAnswer {
    let reader = this.#readers.get(type);
    if (reader === undefined) this.#readers.set(type, (reader = leanReader()));
    return reader;
  }
}

function leanReader(): ReadAnswer {
  const decode = lazyDecoder();
  return async ({ body }) => {
    const bytes = body instanceof Uint8Array ? asBuffer(body) : await readAll(body);
    const end = bytes[bytes.length - 1] === newline ? bytes.length - 1 : bytes.length;
    try {
      return decode(bytes, 0, end);
    } catch (error) {
      throw malformed(bytes.toString("utf8"), error);
    }
  };
}
