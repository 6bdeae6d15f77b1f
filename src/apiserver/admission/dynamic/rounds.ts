/** Which hooks are asked a second time because others changed the object after them. One for each write; used by admit and the hooks. */
import { deepEqual, type KubeObject } from "../../../api/index.js";

/**
 * 1. There are at most two rounds; the second is run only if a hook changed something in the first.
 * 2. Asked again is only who wants it (`IfNeeded`) and was followed by a change.
 */
export class Rounds {
  #second = false;
  #wanted = false;
  #left: KubeObject | undefined;
  readonly #asked = new Set<string>();
  readonly #again = new Set<string>();

  /** True if everything has to be gone through once more. */
  next(): boolean {
    if (this.#second || !this.#wanted) return false;
    this.#second = true;
    return true;
  }

  mayAsk(hook: string): boolean {
    return !this.#second || this.#again.has(hook);
  }

  /** Before the hooks of one plug-in are asked: plug-ins in between may have changed the object. */
  enter(object: KubeObject): void {
    if (this.#second && this.#left !== undefined && !deepEqual(this.#left, object)) this.#followed();
  }

  leave(object: KubeObject): void {
    this.#left = object;
  }

  asked(hook: string, { changed, reinvocable }: { readonly changed: boolean; readonly reinvocable: boolean }): void {
    if (changed) {
      this.#followed();
      this.#wanted = true;
    }
    if (reinvocable) this.#asked.add(hook);
  }

  #followed(): void {
    for (const hook of this.#asked) this.#again.add(hook);
    this.#asked.clear();
  }
}
