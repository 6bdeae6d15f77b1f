/** Holds the seat of a request while it is answered: to the end of its body; of a watch, to the end of its initial state. */
import { durationToMs } from "../../../api/index.js";
import type { Clock } from "../../../base/index.js";
import type { Answer } from "../../contracts/answer.js";
import type { RequestInfo } from "../../contracts/request.js";
import type { FlowControl, Seat } from "../../flow/flow-control.js";
import type { Flow } from "../../flow/levels.js";
import type { Exchange } from "../exchange.js";
import { untilEnd } from "./ending.js";

const longSubresources = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** Requests that a pod, a service or a node answers. */
export const isProxy = (info: RequestInfo): boolean => info.type === "resource" && info.subresource === "proxy";

/** Requests that may last as long as their client likes take no seat; a watch takes one to begin. */
export const isLongRunning = (info: RequestInfo): boolean =>
  info.type === "resource" && info.verb !== "watch" && longSubresources.has(info.subresource);

/** Undefined for a text that is no positive duration, which is reported later. */
function msOf(timeout: string): number | undefined {
  try {
    const ms = durationToMs(timeout);
    return ms > 0 ? ms : undefined;
  } catch {
    return undefined;
  }
}

type Work = (exchange: Exchange) => Promise<Answer>;

export class Seats {
  readonly #flow: FlowControl;
  readonly #clock: Clock;
  readonly #longestMs: number;

  /** No seat is held for longer than `longestMs`, however slowly a client reads. */
  constructor(flow: FlowControl, { clock, longestMs }: { readonly clock: Clock; readonly longestMs: number }) {
    this.#flow = flow;
    this.#clock = clock;
    this.#longestMs = longestMs;
  }

  /** Does the work once the request has its seat; a request without a place takes none. */
  async during(place: Flow | undefined, exchange: Exchange, work: Work): Promise<Answer> {
    if (place === undefined) return work(exchange);
    if (exchange.info.verb === "watch") return this.#watch(place, exchange, work);
    const asked = this.#enter(place, exchange);
    let seat = asked instanceof Promise ? await asked : asked;
    const answering = async (): Promise<Answer> => {
      const answer = await work(exchange);
      if (!(answer.body instanceof Uint8Array)) seat = this.#atMost(seat);
      return answer;
    };
    return untilEnd(answering(), () => seat[Symbol.dispose]());
  }

  async #watch(place: Flow, exchange: Exchange, work: Work): Promise<Answer> {
    const asked = this.#enter(place, exchange);
    let seat = asked instanceof Promise ? await asked : asked;
    const open = this.#flow.watchOpened(exchange.info, exchange.query);
    let isReady = false;
    const ready = (): void => {
      isReady = true;
      seat[Symbol.dispose]();
    };
    const over = (): void => {
      ready();
      open?.[Symbol.dispose]();
    };
    const answering = async (): Promise<Answer> => {
      const answer = await work({ ...exchange, ready });
      if (!isReady) seat = this.#atMost(seat);
      return answer;
    };
    return untilEnd(answering(), over);
  }

  #enter(place: Flow, { user, info, query, signal }: Exchange): Seat | Promise<Seat> {
    return this.#flow.enter(place, { user, info, query, signal, patienceMs: this.#patience(info, query) });
  }

  /** A quarter of the time that the request has. */
  #patience({ verb }: RequestInfo, query: URLSearchParams): number {
    const timeout = verb === "watch" ? null : query.get("timeout");
    return Math.min((timeout && msOf(timeout)) || this.#longestMs, this.#longestMs) / 4;
  }

  #atMost(seat: Seat): Seat {
    const timer = this.#clock.timer(this.#longestMs, () => seat[Symbol.dispose]());
    return {
      [Symbol.dispose]() {
        timer[Symbol.dispose]();
        seat[Symbol.dispose]();
      },
    };
  }
}
