/** Finds handlers that change cached objects. For development and tests. */
import { isDeepStrictEqual } from "node:util";
import type { Clock, Logger, Timer } from "../base/index.js";
import type { ChangeList, ObjectChange } from "./processor/handlers.js";
import { metaNamespaceKey, type Named } from "./store/key.js";

export class CacheMutationError extends Error {
  override readonly name = "CacheMutationError";
  readonly key: string;
  /** The path at which the object differs from its copy, e.g. `spec.replicas`. */
  readonly path: string;

  constructor(key: string, path: string) {
    super(`cached object ${key} was modified at ${path}: objects from a cache are shared and must not be changed`);
    this.key = key;
    this.path = path;
  }
}

/** The interval of comparisons. */
const periodMs = 1_000;
/** The least time for which an object is compared. */
const retainMs = 120_000;

export interface MutationDetectorOptions {
  /** Called for each mutation; without it the error is thrown in the timer, which ends the process. */
  readonly onMutation?: (error: CacheMutationError) => void;
}

interface Watched {
  readonly key: string;
  readonly object: object;
  readonly copy: unknown;
}

/** Copies each added or updated object and compares it later. Doubles the memory of the cache. */
export class MutationDetector<T> {
  readonly #options: MutationDetectorOptions;
  #current: Watched[] = [];
  #previous: Watched[] = [];

  constructor(options: MutationDetectorOptions = {}) {
    this.#options = options;
  }

  addChanges(changes: ChangeList<T>): void {
    for (let i = 0; i < changes.length; i++) {
      const change = changes.at(i) as ObjectChange<T>;
      if (change.type === "deleted") continue;
      const { object } = change;
      // a transform may turn an object into text, which cannot be changed
      if (typeof object !== "object" || object === null) continue;
      this.#current.push({ key: nameOf(object), object, copy: structuredClone(object) });
    }
  }

  /** Compares now. Each object is reported once. */
  check(): void {
    const found: CacheMutationError[] = [];
    const isIntact = ({ key, object, copy }: Watched): boolean => {
      if (isDeepStrictEqual(object, copy)) return true;
      found.push(new CacheMutationError(key, firstDifference(object, copy) ?? ""));
      return false;
    };
    this.#previous = this.#previous.filter(isIntact);
    this.#current = this.#current.filter(isIntact);
    for (const error of found) {
      if (this.#options.onMutation === undefined) throw error;
      this.#options.onMutation(error);
    }
  }

  /** Compares every second until disposed, and once more then. */
  start(clock: Clock, logger: Logger): Disposable {
    let rotatedMs = clock.monotonic();
    let timer: Timer;
    const arm = (): void => {
      timer = clock.timer(periodMs, () => {
        arm();
        if (clock.monotonic() - rotatedMs > retainMs) {
          rotatedMs = clock.monotonic();
          this.#previous = this.#current;
          this.#current = [];
        }
        this.check();
      });
    };
    logger.warn("the mutation detector is on: it copies every object and is not for production");
    arm();
    return {
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]();
        this.check();
      },
    };
  }
}

function nameOf(object: object): string {
  try {
    return metaNamespaceKey(object as Named);
  } catch {
    return "without a name";
  }
}

/** The path of the first property in which two values differ. */
function firstDifference(a: unknown, b: unknown, path = ""): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return path;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const next = Array.isArray(a) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    const found = firstDifference((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], next);
    if (found !== undefined) return found;
  }
  return undefined;
}
