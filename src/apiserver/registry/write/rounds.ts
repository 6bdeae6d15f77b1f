/** Decides which hooks are asked a second time because others changed the object after them. One instance for each write. */
import { deepEqual, type KubeObject } from "../../../api/index.js";
import type { Rounds } from "../../contracts/admission.js";

/**
 * Invariants:
 * 1. There are at most two rounds; the second runs only if a hook changed the object in the first.
 * 2. In the second round a hook is asked only if it wants that (`IfNeeded`) and the object changed after its first
 *    call.
 */
export class HookRounds implements Rounds {
  #second = false;
  #wanted = false;
  #left: KubeObject | undefined;
  readonly #asked = new Set<string>();
  readonly #again = new Set<string>();

  get number(): number {
    return this.#second ? 1 : 0;
  }

  /** True if all mutating plug-ins must run once more. */
  next(): boolean {
    if (this.#second || !this.#wanted) return false;
    this.#second = true;
    return true;
  }

  mayAsk(hook: string): boolean {
    return !this.#second || this.#again.has(hook);
  }

  /** Called before the hooks of one plug-in: other plug-ins may have changed the object in between. */
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
