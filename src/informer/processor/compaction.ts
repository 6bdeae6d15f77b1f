/** Keeps the memory of a cache near the size of its contents while they change. Serves the process loop. */
import { TextCompaction } from "../../api/index.js";
import type { Indexer } from "../store/indexer.js";
import type { Turns } from "./turns.js";

/** Small caches are not worth the while. */
const fewestChanges = 1000;

/** How many objects are looked at between two looks at the time. */
const stepLength = 100;

/** Works once there were as many changes as there are objects, so that its cost per change is constant. */
export class CacheCompaction<T> {
  readonly #indexer: Indexer<T>;
  readonly #turns: Turns;
  #changes = 0;

  constructor(indexer: Indexer<T>, turns: Turns) {
    this.#indexer = indexer;
    this.#turns = turns;
  }

  /** So many changes were applied; true if it is time to `run`. */
  changed(count: number): boolean {
    this.#changes += count;
    return this.#changes >= Math.max(this.#indexer.size, fewestChanges);
  }

  /** In slices. The cache must not be written to meanwhile. */
  async run(): Promise<void> {
    this.#changes = 0;
    const compaction = new TextCompaction();
    await this.#each((object) => compaction.count(object));
    await this.#each((object) => compaction.gather(object));
  }

  async #each(visit: (object: object) => void): Promise<void> {
    let visited = 0;
    for (const { object } of this.#indexer.entries()) {
      if (typeof object === "object" && object !== null) visit(object);
      if (++visited % stepLength === 0 && this.#turns.due()) await this.#turns.pause();
    }
  }
}
