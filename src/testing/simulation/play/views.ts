/** The operator's view through watches: spells in which events are late or never seen, or bookmarks are withheld. */
import type { Clock } from "../../../base/index.js";
import type { HoldOptions } from "../fault.js";

interface Spell extends Pick<HoldOptions, "end"> {
  readonly resource: string | undefined;
  readonly untilMs: number;
}

/** Invariant: `#spells` may hold spells that are over; they change nothing. */
export class Views {
  readonly #clock: Clock;
  #spells: Spell[] = [];
  #bookmarksFromMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Holds back the events of one resource, or of all, from now on. */
  hold({ resource, forMs, end }: HoldOptions): void {
    const now = this.#clock.monotonic();
    this.#spells = this.#spells.filter(({ untilMs }) => untilMs > now);
    this.#spells.push({ resource, untilMs: now + forMs, end });
  }

  withholdBookmarks(forMs: number): void {
    this.#bookmarksFromMs = Math.max(this.#bookmarksFromMs, this.#clock.monotonic() + forMs);
  }

  get hasBookmarks(): boolean {
    return this.#clock.monotonic() >= this.#bookmarksFromMs;
  }

  /** Waits until events of the resource are shown again; "gone" if the watch must then end with 410. */
  async shown(resource: string, signal: AbortSignal): Promise<"deliver" | "gone"> {
    let end: Spell["end"] = "deliver";
    for (;;) {
      const now = this.#clock.monotonic();
      const spell = this.#spells.find(
        (one) => one.untilMs > now && (one.resource === undefined || one.resource === resource),
      );
      if (spell === undefined) return end;
      if (spell.end === "gone") end = "gone";
      await this.#clock.sleep(spell.untilMs - now, signal);
    }
  }
}
