/** A value that is never printed. */
import { inspect } from "node:util";

const shown = "[redacted]";

/** Logs, errors, `inspect`, `JSON.stringify` and templates show `[redacted]`; `reveal` gives the value. */
export class Redacted {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }
}

Object.defineProperty(Redacted.prototype, inspect.custom, { value: () => shown });
