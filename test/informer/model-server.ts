/** A server of one kind, small enough to be obviously right: a history of changes, with lists and watches over it. */
import { newExpired, newTooLargeResourceVersion, type KubeObject, type ObjectEvent } from "../../src/api/index.js";
import { abortReason, onAbort } from "../../src/base/index.js";
import type {
  ListerWatcher,
  SourceListOptions,
  ListPage,
  SourceEvent,
  SourceWatchOptions,
} from "../../src/informer/index.js";

export interface Thing extends KubeObject {
  readonly spec?: { readonly value: number };
}

export type ThingEvent = SourceEvent<Thing>;

interface Recorded {
  readonly revision: number;
  readonly event: ObjectEvent<Thing>;
}

/** One open watch, as the server sees it. Tests reach in to send, end or break it. */
export class ModelWatch implements AsyncIterable<readonly ThingEvent[]> {
  readonly options: SourceWatchOptions;
  readonly #batches: (readonly ThingEvent[])[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(options: SourceWatchOptions) {
    this.options = options;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  send(...events: readonly ThingEvent[]): void {
    if (this.#end !== undefined || events.length === 0) return;
    this.#batches.push(events);
    this.#wake?.();
  }

  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly ThingEvent[], void, undefined> {
    try {
      for (;;) {
        const batch = this.#batches.shift();
        if (batch !== undefined) yield batch;
        else if (this.#end !== undefined) {
          if (this.#end.error !== undefined) throw this.#end.error as Error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.end();
    }
  }
}

/** The calls, in order. */
export type Call =
  | { readonly verb: "list"; readonly options: SourceListOptions }
  | { readonly verb: "watch"; readonly options: SourceWatchOptions };

export interface ModelServerOptions {
  readonly supportsWatchList?: boolean;
  /** Answers a list in pages, also at revision "0", as a server without watch cache does. */
  readonly pages?: boolean;
}

export class ModelServer implements ListerWatcher<Thing> {
  readonly objects: Map<string, Thing> = new Map();
  readonly calls: Call[] = [];
  readonly watches: ModelWatch[] = [];
  readonly supportsWatchList: boolean;
  revision = 100;
  /** Watches from before this revision get 410. */
  compactedAt = 0;
  /** Called before each call is answered; its result is thrown, if there is one. */
  refuse: ((call: Call) => unknown) | undefined;
  /** Changes the events for one watch: may repeat or delay them, but drops none. */
  distort: ((events: readonly ThingEvent[], watch: ModelWatch) => readonly ThingEvent[]) | undefined;
  readonly #history: Recorded[] = [];
  readonly #pages: boolean;
  readonly #listsInPages = new Map<string, { readonly items: readonly Thing[]; readonly revision: number }>();

  constructor(options: ModelServerOptions = {}) {
    this.supportsWatchList = options.supportsWatchList ?? true;
    this.#pages = options.pages ?? false;
  }

  get open(): readonly ModelWatch[] {
    return this.watches.filter(({ ended }) => !ended);
  }

  put(name: string, value = 0, namespace = "default"): Thing {
    const key = `${namespace}/${name}`;
    const known = this.objects.get(key);
    this.revision += 1;
    const uid = known?.metadata.uid ?? `uid-${this.revision}`;
    const metadata = { name, namespace, uid, resourceVersion: String(this.revision) };
    const object: Thing = { apiVersion: "example.com/v1", kind: "Thing", metadata, spec: { value } };
    this.objects.set(key, object);
    this.#record({ type: known === undefined ? "ADDED" : "MODIFIED", object });
    return object;
  }

  remove(name: string, namespace = "default"): void {
    const key = `${namespace}/${name}`;
    const known = this.objects.get(key);
    if (known === undefined) return;
    this.objects.delete(key);
    this.revision += 1;
    const object = { ...known, metadata: { ...known.metadata, resourceVersion: String(this.revision) } };
    this.#record({ type: "DELETED", object });
  }

  /** The server forgets its history: watches from before now get 410 when they are opened. */
  compact(): void {
    this.compactedAt = this.revision;
    this.#history.length = 0;
  }

  bookmark(): void {
    for (const watch of this.open) watch.send(bookmarkAt(this.revision));
  }

  /** Ends all watches, cleanly or with an error. */
  cut(error?: unknown): void {
    for (const watch of this.open) watch.end(error);
  }

  async list(options: SourceListOptions, signal: AbortSignal): Promise<ListPage<Thing>> {
    await this.#enter({ verb: "list", options }, signal);
    if (options.continue !== undefined) return this.#page(options.continue, options.limit ?? 1);
    this.#checkAhead(options.resourceVersion);
    const items = [...this.objects.values()];
    const limit = options.limit ?? 0;
    const { resourceVersion = "0", resourceVersionMatch } = options;
    if (limit > 0 && resourceVersion !== "0" && resourceVersionMatch === undefined)
      throw new Error("a page of exactly this revision was asked for, and old lists are not kept");
    if (!this.#pages || limit === 0 || items.length <= limit)
      return { metadata: { resourceVersion: String(this.revision) }, items };
    const token = `list-${this.#listsInPages.size}:0`;
    this.#listsInPages.set(token.split(":")[0] as string, { items, revision: this.revision });
    return this.#page(token, limit);
  }

  async watch(options: SourceWatchOptions, signal: AbortSignal): Promise<ModelWatch> {
    await this.#enter({ verb: "watch", options }, signal);
    this.#checkAhead(options.resourceVersion);
    const watch = new ModelWatch(options);
    onAbort(signal, (reason) => watch.end(reason));
    this.watches.push(watch);
    if (options.sendInitialEvents === true) {
      watch.send(...[...this.objects.values()].map((object) => ({ type: "ADDED", object }) as const));
      watch.send(bookmarkAt(this.revision, "true"));
      return watch;
    }
    const from = Number(options.resourceVersion ?? 0);
    if (from !== 0 && from < this.compactedAt) {
      watch.send({
        type: "ERROR",
        object: newExpired(`too old resource version: ${from} (${this.compactedAt})`).status,
      });
      watch.end();
      return watch;
    }
    watch.send(...this.#history.filter(({ revision }) => revision > from).map(({ event }) => event));
    return watch;
  }

  #page(token: string, limit: number): ListPage<Thing> {
    const [id, start] = token.split(":") as [string, string];
    const list = this.#listsInPages.get(id);
    if (list === undefined) throw newExpired("the provided continue parameter is too old");
    const end = Number(start) + limit;
    const metadata = {
      resourceVersion: String(list.revision),
      ...(end < list.items.length ? { continue: `${id}:${end}` } : {}),
    };
    return { metadata, items: list.items.slice(Number(start), end) };
  }

  async #enter(call: Call, signal: AbortSignal): Promise<void> {
    this.calls.push(call);
    await Promise.resolve();
    if (signal.aborted) throw abortReason(signal);
    const refusal = this.refuse?.(call);
    if (refusal !== undefined) throw refusal as Error;
  }

  #checkAhead(resourceVersion: string | undefined): void {
    if (Number(resourceVersion ?? 0) > this.revision)
      throw newTooLargeResourceVersion(resourceVersion as string, String(this.revision), 1);
  }

  #record(event: Recorded["event"]): void {
    this.#history.push({ revision: this.revision, event });
    for (const watch of this.open) watch.send(...(this.distort?.([event], watch) ?? [event]));
  }
}

export function bookmarkAt(revision: number, initialEventsEnd?: string): ThingEvent {
  const annotations = initialEventsEnd === undefined ? undefined : { "k8s.io/initial-events-end": initialEventsEnd };
  return {
    type: "BOOKMARK",
    object: { metadata: { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) } },
  };
}
