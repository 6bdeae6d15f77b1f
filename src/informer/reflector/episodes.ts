/** The life of a reflector in episodes: takes wishes for a new list, ends the episode with each, and says when a list has answered them. */
import { abortable, isAbortOf, type LinkedAbort, linkedAbort } from "../../base/index.js";

/**
 * Invariants:
 * 1. `#current` is set while an episode lives; a wish aborts it, so that all its requests end.
 * 2. `#wishes` has the wishes that no list of a later episode has answered.
 */
export class Episodes {
  readonly #wishes = new Set<() => void>();
  #current: LinkedAbort | undefined;

  /** Resolves when a list has been applied that began after the call. */
  async relist(signal: AbortSignal): Promise<void> {
    const met = new Promise<void>((resolve) => void this.#wishes.add(resolve));
    this.#current?.abort(new Error("a new list is wanted"));
    await abortable(met, signal);
  }

  /** To be called when a list of the present episode has been applied. */
  listed(): void {
    if (this.#current?.signal.aborted !== false) return;
    for (const met of this.#wishes) met();
    this.#wishes.clear();
  }

  /** Lives one episode after the other until the signal aborts. */
  async run(signal: AbortSignal, live: (episode: AbortSignal) => Promise<void>): Promise<void> {
    try {
      while (!signal.aborted) {
        using episode = linkedAbort(signal);
        this.#current = episode;
        try {
          await live(episode.signal);
        } catch (error) {
          if (!episode.signal.aborted) throw error;
        }
      }
    } catch (error) {
      if (!isAbortOf(signal, error) && !signal.aborted) throw error;
    } finally {
      this.#current = undefined;
    }
  }
}
