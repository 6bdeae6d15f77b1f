/** Shows every revision of a history to the oracles that watch. Takes a store; gives the violations. */
import type { KubeObject, ResourceType } from "../../../api/index.js";
import { messageOf } from "../../../base/index.js";
import type { Store } from "../../../apiserver/index.js";
import type { Oracle, OracleWatch, StateView } from "../oracle.js";

export interface Violation {
  readonly oracle: string;
  readonly message: string;
  readonly atMs: number;
}

/**
 * Invariants:
 * 1. Each watch has seen every revision up to `#seen`, in order, but none after its first complaint.
 * 2. `violations` has at most one entry for each oracle.
 */
export class Watching {
  readonly violations: Violation[] = [];
  readonly #store: Store;
  readonly #watches: Map<string, OracleWatch>;
  #seen: number;

  constructor(oracles: readonly Oracle[], store: Store) {
    this.#store = store;
    this.#seen = store.revision;
    this.#watches = new Map(
      oracles.flatMap((oracle) => (oracle.watch === undefined ? [] : [[oracle.name, oracle.watch()]])),
    );
  }

  /** Shows the revisions since the last call. */
  see(atMs: number): void {
    if (this.#watches.size === 0) return;
    for (const last = this.#store.revision; this.#seen < last; ) {
      this.#seen += 1;
      this.#ask(atMs, (watch) => watch.see?.(viewOf(this.#store, this.#seen)));
    }
  }

  finish(atMs: number): readonly Violation[] {
    const before = this.violations.length;
    this.#ask(atMs, (watch) => watch.finish?.(viewOf(this.#store, this.#store.revision)));
    return this.violations.splice(before);
  }

  #ask(atMs: number, question: (watch: OracleWatch) => string | undefined): void {
    for (const [oracle, watch] of this.#watches) {
      let message: string | undefined;
      try {
        message = question(watch);
      } catch (error) {
        message = `it threw: ${messageOf(error)}`;
      }
      if (message === undefined) continue;
      this.violations.push({ oracle, message, atMs });
      this.#watches.delete(oracle);
    }
  }
}

function viewOf(store: Store, revision: number): StateView {
  const collectionOf = ({ group, plural }: { readonly group: string; readonly plural: string }): string =>
    group === "" ? plural : `${group}/${plural}`;
  return {
    revision,
    list<T extends KubeObject>(type: ResourceType<T>, { namespace = "" } = {}) {
      const prefix = namespace === "" ? "" : `${namespace}/`;
      const { items } = store.list({ collection: collectionOf(type), prefix, from: prefix, revision });
      return items.map(({ object }) => object as T);
    },
    get<T extends KubeObject>(type: ResourceType<T>, name: string, namespace?: string) {
      return this.list(type, namespace === undefined ? {} : { namespace }).find(
        ({ metadata }) => metadata.name === name,
      );
    },
  };
}
