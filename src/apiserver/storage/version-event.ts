/**
 * One change of one key as the state keeps it and watchers see it; takes the versions before and after, and releases
 * the ones that end with it.
 */
import type { StoreEvent } from "./contract.js";
import { StoredVersion, type VersionMemory } from "./stored-version.js";

interface Place {
  readonly revision: number;
  readonly collection: string;
  readonly key: string;
}

export class VersionEvent implements StoreEvent {
  readonly revision: number;
  readonly collection: string;
  readonly key: string;
  readonly previous: StoredVersion | undefined;
  readonly current: StoredVersion | undefined;
  readonly #memory: VersionMemory;
  #departed: StoredVersion | undefined;
  #isOver = false;

  constructor(
    { revision, collection, key }: Place,
    versions: { readonly previous: StoredVersion | undefined; readonly current: StoredVersion | undefined },
    memory: VersionMemory,
  ) {
    this.revision = revision;
    this.collection = collection;
    this.key = key;
    this.previous = versions.previous;
    this.current = versions.current;
    this.#memory = memory;
  }

  get departed(): StoredVersion | undefined {
    if (this.previous === undefined || this.#departed !== undefined) return this.#departed;
    const { collection, key, revision } = this;
    const { previous } = this;
    this.#departed = StoredVersion.ofObject({ collection, key, revision }, previous.object, this.#memory, previous);
    this.#departed.replaced();
    if (this.#isOver) this.#departed.release();
    return this.#departed;
  }

  /** The history up to this event is forgotten, and with it the version before. */
  forget(): void {
    this.previous?.release();
    this.#end();
  }

  /** This event never happened, and the version after it never was. */
  takeBack(): void {
    this.current?.release();
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#departed?.release();
  }
}
