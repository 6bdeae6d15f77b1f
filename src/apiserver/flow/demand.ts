/** The demand of a priority level for seats over time: its average, deviation and peak in each period, and a smoothed figure. */

/** The weight of the past in the smoothed demand: half of it is forgotten after five minutes. */
const persistence = 0.977;

export interface DemandFigures {
  readonly peak: number;
  readonly average: number;
  readonly deviation: number;
  readonly smoothed: number;
}

/** Invariant: the integrals cover the time from the beginning of the period to `#at`. */
export class Demand {
  #at: number;
  #seats = 0;
  #elapsed = 0;
  #sum = 0;
  #squares = 0;
  #peak = 0;
  #figures: DemandFigures = { peak: 0, average: 0, deviation: 0, smoothed: 0 };

  constructor(now: number) {
    this.#at = now;
  }

  get figures(): DemandFigures {
    return this.#figures;
  }

  set(seats: number, now: number): void {
    this.#integrate(now);
    this.#seats = seats;
    this.#peak = Math.max(this.#peak, seats);
  }

  /** Ends the period and begins the next. */
  endPeriod(now: number): DemandFigures {
    this.#integrate(now);
    let { average, deviation, smoothed } = this.#figures;
    if (this.#elapsed > 0) {
      average = this.#sum / this.#elapsed;
      deviation = Math.sqrt(Math.max(this.#squares / this.#elapsed - average * average, 0));
      const envelope = average + deviation;
      smoothed = Math.max(envelope, persistence * smoothed + (1 - persistence) * envelope);
    }
    this.#figures = { peak: this.#peak, average, deviation, smoothed };
    [this.#elapsed, this.#sum, this.#squares, this.#peak] = [0, 0, 0, this.#seats];
    return this.#figures;
  }

  #integrate(now: number): void {
    const ms = now - this.#at;
    this.#at = now;
    if (ms <= 0) return;
    this.#elapsed += ms;
    this.#sum += this.#seats * ms;
    this.#squares += this.#seats * this.#seats * ms;
  }
}
