/**
 * Counts the work of the containers of simulated nodes, for scrapers that take the difference of two readings: takes the
 * load at each reading, gives the CPU seconds since the start.
 */

export interface WorkLoad {
  /** Names the container in this life of it. */
  readonly id: string;
  readonly cores: number;
  /** When it began, in milliseconds. */
  readonly begun: number;
}

interface Reading {
  readonly at: number;
  readonly seconds: number;
}

/**
 * Invariants:
 * 1. The seconds of one id never fall.
 * 2. Between two readings they grow by the load of the later one; until the first, by its load since the start.
 * 3. A node's loads of its latest reading are kept, and no others.
 */
export class WorkCounters {
  readonly #nodes = new Map<string, ReadonlyMap<string, Reading>>();

  /** The seconds of each load until `at`, in milliseconds, in their order. */
  read(node: string, loads: readonly WorkLoad[], at: number): readonly number[] {
    const before = this.#nodes.get(node);
    const readings = loads.map(({ id, cores, begun }): readonly [string, Reading] => {
      const last = before?.get(id) ?? { at: begun, seconds: 0 };
      const passed = Math.max(0, at - last.at) / 1_000;
      return [id, { at: Math.max(at, last.at), seconds: last.seconds + cores * passed }];
    });
    this.#nodes.set(node, new Map(readings));
    return readings.map(([, { seconds }]) => seconds);
  }

  forget(node: string): void {
    this.#nodes.delete(node);
  }
}
