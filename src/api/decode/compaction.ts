/** Gathers the text of the objects that a cache still has, so that few of them do not keep much memory. Serves caches. */
import { moveText, textPlace } from "./lazy-object.js";
import { Slab } from "./slab.js";

/**
 * Decoded objects have their text in blocks that they share, and a block lives as long as any of its objects. In a cache whose
 * objects change, blocks come to hold a few old objects each. For the objects of the cache: `count` all of them, then
 * `gather` all of them; blocks of which a quarter or more is not in use are then left. Both take a moment for each object,
 * nobody can see a difference, and objects may come and go in between.
 */
export class TextCompaction {
  readonly #used = new Map<Buffer, number>();
  readonly #slab = new Slab();

  count(object: object): void {
    const place = textPlace(object);
    if (place !== undefined) this.#used.set(place.block, (this.#used.get(place.block) ?? 0) + place.length);
  }

  gather(object: object): void {
    const place = textPlace(object);
    if (place === undefined) return;
    const used = this.#used.get(place.block);
    // a block that was not counted is newer
    if (used !== undefined && used < place.block.length * 0.75) moveText(object, this.#slab);
  }
}
