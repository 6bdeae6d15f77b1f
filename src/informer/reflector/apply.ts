/** Puts watch events into a store. */
import { type Bookmark, initialEventsEnd, type ObjectEvent, StatusError } from "../../api/index.js";
import { type Cacheable, Undecodable, type SourceEvent } from "../source/list-watch.js";
import { cacheKey, resourceVersionOf } from "../store/key.js";
import { Staleness } from "../store/staleness.js";
import { isTable } from "./pages.js";

/** The store that a reflector fills: the queue of an informer, or anything else that takes changes. */
export interface ReflectorStore<T> {
  push(event: ObjectEvent<T>): void;
  /** Takes transformed objects. */
  replace(objects: readonly T[], resourceVersion: string): void;
  /** As `replace`, with the objects by their `namespace/name`, for stores that do not need a list. */
  replaceByKey?(objects: ReadonlyMap<string, T>, resourceVersion: string): void;
  resync(): void;
  bookmark?(resourceVersion: string): void;
  /** True while the reflector should read no further; `room` resolves when it may. */
  readonly isFull?: boolean;
  room?(): Promise<void>;
  /** Applied to the objects of a list before `replace`: while they come, so that dropped parts are never held. */
  readonly transform?: ((object: T) => T) | undefined;
}

export interface WatchApplierOptions<T> {
  readonly store: ReflectorStore<T>;
  readonly expectedKind?: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** Objects for which it is false are passed over, as if the server did not have them. */
  readonly keeps?: ((object: T) => boolean) | undefined;
  /** Called for each skipped object, with the reason. */
  readonly onSkip: (error: unknown) => void;
}

export class WatchApplier<T extends Cacheable> {
  readonly #options: WatchApplierOptions<T>;

  constructor(options: WatchApplierOptions<T>) {
    this.#options = options;
  }

  /**
   * Gives the revision that the event reached; undefined if the event has none. An object of another kind is skipped
   * and its revision ignored; one that the store refuses is skipped, but counts as seen. An ERROR event is thrown.
   */
  apply(event: SourceEvent<T>): string | undefined {
    if (event.type === "ERROR") throw new StatusError(event.object);
    const { store } = this.#options;
    if (event.type === "BOOKMARK") {
      const resourceVersion = bookmarkOf(event).resourceVersion;
      if (resourceVersion === "") this.#options.onSkip(new Error("a bookmark without a revision"));
      else store.bookmark?.(resourceVersion);
      return resourceVersion === "" ? undefined : resourceVersion;
    }
    if (!this.accepts(event.object)) return undefined;
    // read first: a transform may change the object in place
    const resourceVersion = resourceVersionOf(event.object);
    try {
      if (!this.keeps(event.object)) return resourceVersion === "" ? undefined : resourceVersion;
      if (!isObjectEvent(event)) throw unknownType(event);
      store.push(event);
    } catch (error) {
      this.#options.onSkip(error);
    }
    return resourceVersion === "" ? undefined : resourceVersion;
  }

  /** False, after a report, for anything but an object of the expected kind. */
  accepts(object: T): boolean {
    const complaint = this.#complaint(object);
    if (complaint === undefined) return true;
    this.#options.onSkip(complaint);
    return false;
  }

  /** False for an object that is not wanted, though it is as expected. */
  keeps(object: T): boolean {
    return this.#options.keeps?.(object) ?? true;
  }

  #complaint(object: T): Error | undefined {
    if (object instanceof Undecodable) return object.error;
    if (typeof object !== "object" || object === null) return new Error("a watch event or a list without its object");
    const { kind, apiVersion, metadata } = object as { kind?: string; apiVersion?: string; metadata?: unknown };
    if (typeof metadata !== "object" || metadata === null) return new Error("object has no metadata");
    if (isTable({ kind, apiVersion })) return new Error("a Table cannot be cached");
    const expected = this.#options.expectedKind;
    if (expected === undefined || kind === undefined || kind === "") return undefined;
    if (kind === expected.kind && (apiVersion ?? expected.apiVersion) === expected.apiVersion) return undefined;
    return new Error(`expected a ${expected.apiVersion} ${expected.kind}, got a ${apiVersion} ${kind}`);
  }

  /** A fresh collection of initial objects; a stream that ends early leaves nothing behind. */
  collectInitial(): InitialObjects<T> {
    const objects = new Map<string, T>();
    const staleness = new Staleness();
    const { transform } = this.#options.store;
    const collect = (event: ObjectEvent<T>): void => {
      const { type, object } = event;
      if (!this.accepts(object)) return;
      try {
        if (!this.keeps(object)) return;
        const key = cacheKey(object);
        const revision = resourceVersionOf(object);
        const known = resourceVersionOf(objects.get(key));
        if (type === "DELETED") {
          if (staleness.isStaleDelete(key, revision, known)) return;
          objects.delete(key);
          staleness.deleted(key, revision);
        } else if (type === "ADDED" || type === "MODIFIED") {
          if (staleness.isStale(key, revision, known)) return;
          objects.set(key, transform === undefined ? object : transform(object));
        } else throw unknownType(event);
      } catch (error) {
        this.#options.onSkip(error);
      }
    };
    return {
      objects,
      apply(events) {
        for (let index = 0; index < events.length; index++) {
          const event = events[index] as SourceEvent<T>;
          if (event.type === "ERROR") throw new StatusError(event.object);
          if (event.type === "BOOKMARK") {
            const { isInitialEnd, resourceVersion } = bookmarkOf(event);
            if (isInitialEnd) return { index, resourceVersion };
          } else collect(event);
        }
        return undefined;
      },
    };
  }
}

/** The content of a bookmark, even of a malformed one: "" if it names no revision. */
function bookmarkOf({ object }: { readonly object: Partial<Bookmark> | null | undefined }): {
  readonly resourceVersion: string;
  readonly isInitialEnd: boolean;
} {
  const isInitialEnd = object?.metadata?.annotations?.[initialEventsEnd] === "true";
  return { resourceVersion: resourceVersionOf(object) ?? "", isInitialEnd };
}

/** False for a type that a server of a later version may have. */
function isObjectEvent({ type }: ObjectEvent<unknown>): boolean {
  return type === "ADDED" || type === "MODIFIED" || type === "DELETED";
}

function unknownType(event: { readonly type: unknown }): Error {
  return new Error(`unknown watch event type ${JSON.stringify(event.type)}`);
}

export interface InitialObjects<T> {
  /** The objects by the `namespace/name` under which the server sent them. */
  readonly objects: ReadonlyMap<string, T>;
  /** Gives the index in the batch at which the initial objects ended, and the revision; undefined if they have not ended yet. */
  apply(events: readonly SourceEvent<T>[]): { readonly index: number; readonly resourceVersion: string } | undefined;
}
