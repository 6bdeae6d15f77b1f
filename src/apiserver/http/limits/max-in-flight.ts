/** Limits the requests that are answered at once, reads and writes each for themselves, where priority and fairness are off. */
import type { Answer } from "../../contracts/answer.js";
import { Rejected } from "../../flow/flow-control.js";
import type { Exchange } from "../exchange.js";
import { untilEnd } from "./ending.js";
import { isLongRunning } from "./seats.js";
import { readVerbs } from "../../contracts/request.js";
import { mastersGroup } from "../../contracts/user.js";

interface Side {
  readonly most: number;
  inside: number;
}

/** As upstream's filter of this name: nobody waits, watches do not count, and administrators are always let in. */
export class MaxInFlight {
  readonly #reads: Side;
  readonly #writes: Side;

  /** A limit of zero is none. */
  constructor({ readsInFlight, writesInFlight }: { readonly readsInFlight: number; readonly writesInFlight: number }) {
    this.#reads = { most: readsInFlight, inside: 0 };
    this.#writes = { most: writesInFlight, inside: 0 };
  }

  /** Rejects with `Rejected` if there is no room. */
  async during(exchange: Exchange, work: (exchange: Exchange) => Promise<Answer>): Promise<Answer> {
    const { info, user } = exchange;
    if (info.verb === "watch" || isLongRunning(info)) return work(exchange);
    const side = readVerbs.has(info.verb) ? this.#reads : this.#writes;
    if (side.most > 0 && side.inside >= side.most) {
      if (user.groups?.includes(mastersGroup)) return work(exchange);
      throw new Rejected(1);
    }
    side.inside += 1;
    return untilEnd(work(exchange), () => {
      side.inside -= 1;
    });
  }
}
