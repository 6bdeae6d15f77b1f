/**
 * Finds the requests that hold up the event loop, for a metric and the log. A turn of the loop is divided among the
 * requests that began in it; work that continues in a later turn, after a wait, is not seen.
 */
import type { Clock, Logger, MetricsRegistry } from "../../../base/index.js";
import type { Registry } from "../../registry/registry.js";
import type { RequestInfo } from "../../contracts/request.js";

/** Longer turns are reported. */
const longMs = 100;

export interface LongTurnsOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly registry: Pick<Registry, "endpoint">;
  /** Calls back when the present turn of the loop is over; setImmediate by default. */
  readonly afterTurn?: (run: () => void) => void;
}

/**
 * Invariants:
 * 1. `#current` is the request that began last in this turn; undefined between turns.
 * 2. While there is one, exactly one call of `afterTurn` is pending.
 */
export class LongTurns {
  readonly #options: LongTurnsOptions;
  readonly #afterTurn: (run: () => void) => void;
  readonly #seconds;
  /** The requests that were logged: each is logged once. */
  readonly #named = new Set<string>();
  #current: { readonly info: RequestInfo; readonly beganAt: number } | undefined;

  constructor(options: LongTurnsOptions) {
    this.#options = options;
    this.#afterTurn = options.afterTurn ?? ((run) => void setImmediate(run));
    this.#seconds = options.metrics.histogram({
      name: "coxswain_apiserver_long_turn_seconds",
      help: `Turns of the event loop of more than ${longMs} ms, by the request that was being answered`,
      labels: ["verb", "resource"],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    });
  }

  /** The time from here to the end of the turn, or to the next request, counts for this request. */
  begin(info: RequestInfo): void {
    const now = this.#options.clock.monotonic();
    if (this.#current === undefined) this.#afterTurn(() => this.#end());
    else this.#judge(now);
    this.#current = { info, beganAt: now };
  }

  #end(): void {
    this.#judge(this.#options.clock.monotonic());
    this.#current = undefined;
  }

  #judge(now: number): void {
    if (this.#current === undefined || now - this.#current.beganAt <= longMs) return;
    const { info, beganAt } = this.#current;
    const { verb, resource } = this.#nameOf(info);
    this.#seconds.with({ verb, resource }).observe((now - beganAt) / 1_000);
    if (this.#named.has(`${verb} ${resource}`)) return;
    this.#named.add(`${verb} ${resource}`);
    this.#options.log.warn("a request held up all others; further ones like it are only counted", {
      verb,
      resource,
      milliseconds: Math.round(now - beganAt),
    });
  }

  /** Names that clients invent must not become series. */
  #nameOf(info: RequestInfo): { readonly verb: string; readonly resource: string } {
    if (info.type === "other") return { verb: "other", resource: "" };
    const { verb, group, version, resource } = info;
    if (this.#options.registry.endpoint(group, version, resource) === undefined) return { verb: "other", resource: "" };
    return { verb, resource: group === "" ? resource : `${resource}.${group}` };
  }
}
