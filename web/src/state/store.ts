/** The state of the watched process, kept equal by its stream; views subscribe to it. */
import { useContext, useEffect, useState } from "preact/hooks";
import type { ControllerLine, Frame, Lane, LineChange, ProcessLine, RunLine } from "../../../src/dashboard/wire.js";
import { History } from "./history.js";
import { ShownMoment } from "./moment.js";

export interface Watched {
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly controllers: ReadonlyMap<string, ControllerLine>;
  readonly process: ProcessLine | undefined;
  /** The newest reconciles, oldest first. */
  readonly runs: readonly RunLine[];
  readonly connection: "connecting" | "open" | "lost";
  /** True since the process was found to be another one than at first. */
  readonly restarted: boolean;
}

const keptRuns = 300;

/**
 * Invariants:
 * 1. `#now` is replaced, never changed, so that a view can compare what it has drawn by identity.
 * 2. Listeners are told at most once in a frame of the screen.
 */
class Store {
  readonly history = new History();
  #now: Watched = {
    lanes: new Map(),
    controllers: new Map(),
    process: undefined,
    runs: [],
    connection: "connecting",
    restarted: false,
  };
  readonly #listeners = new Set<() => void>();
  #isTelling = false;
  /** The server's clock minus this machine's. */
  #skewMs = 0;

  get now(): Watched {
    return this.#now;
  }

  /** The time by the server's clock. */
  time(): number {
    return Date.now() + this.#skewMs;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  connection(connection: Watched["connection"]): void {
    if (this.#now.connection !== connection) this.#change({ connection });
  }

  take(frame: Frame): void {
    this.#skewMs = frame.at - Date.now();
    const { lanes, controllers, process, runs } = this.#now;
    const isOther = process !== undefined && frame.process !== undefined && startDiffers(process, frame.process);
    this.#change({
      lanes: merged(frame.whole ? new Map() : lanes, frame.lanes),
      controllers: merged(frame.whole ? new Map() : controllers, frame.controllers),
      process: frame.process ?? process,
      runs: frame.runs === undefined ? runs : [...(frame.whole ? [] : runs), ...frame.runs].slice(-keptRuns),
      connection: "open",
      restarted: this.#now.restarted || isOther,
    });
    if (isOther) this.history.clear();
    this.history.sample(frame.at, this.#now);
  }

  #change(changes: Partial<Watched>): void {
    this.#now = { ...this.#now, ...changes };
    if (this.#isTelling) return;
    this.#isTelling = true;
    requestAnimationFrame(() => {
      this.#isTelling = false;
      for (const listener of this.#listeners) listener();
    });
  }
}

/** Two readings of one process's start may differ by a little. */
const startDiffers = (a: ProcessLine, b: ProcessLine): boolean => Math.abs(a.startedAt - b.startedAt) > 1_500;

function merged<T extends object>(
  known: ReadonlyMap<string, T>,
  changes: Readonly<Record<string, LineChange<T>>> = {},
): ReadonlyMap<string, T> {
  const next = new Map(known);
  for (const [id, change] of Object.entries(changes)) {
    if (change === null) next.delete(id);
    else next.set(id, changed(known.get(id), change));
  }
  return next;
}

/** A line that is not known yet comes with all of its fields. */
function changed<T extends object>(line: T | undefined, change: NonNullable<LineChange<T>>): T {
  const fields = Object.entries({ ...line, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(fields) as T;
}

export const store: Store = new Store();

/** The watched state; the component is drawn again when it changes. */
export function useWatched(): Watched {
  const [now, show] = useState(store.now);
  useEffect(() => {
    show(store.now);
    return store.subscribe(() => show(store.now));
  }, []);
  return now;
}

/** The listeners of each period, which share one timer: a list has a clock in each of its rows. */
const tickers = new Map<number, { readonly listeners: Set<(now: number) => void>; readonly timer: number }>();

function onTick(everyMs: number, listener: (now: number) => void): () => void {
  const ticker = tickers.get(everyMs) ?? newTicker(everyMs);
  ticker.listeners.add(listener);
  return () => {
    ticker.listeners.delete(listener);
    if (ticker.listeners.size > 0) return;
    clearInterval(ticker.timer);
    tickers.delete(everyMs);
  };
}

function newTicker(everyMs: number): NonNullable<ReturnType<typeof tickers.get>> {
  const listeners = new Set<(now: number) => void>();
  const tick = (): void => {
    const now = store.time();
    for (const listener of listeners) listener(now);
  };
  const ticker = { listeners, timer: window.setInterval(tick, everyMs) };
  tickers.set(everyMs, ticker);
  return ticker;
}

/** The server's time, and the component is drawn again every second; or the moment of the past that the page shows. */
export function useClock(everyMs = 1_000): number {
  const moment = useContext(ShownMoment);
  const [now, show] = useState(store.time());
  useEffect(() => (moment === undefined ? onTick(everyMs, show) : undefined), [everyMs, moment === undefined]);
  return moment?.at ?? now;
}

const againMs = 1_000;

/** Follows the stream for as long as the page is open. A browser that has given up is told to try again, from where it was. */
export function connect(after = ""): void {
  const source = new EventSource(`./page/stream${after === "" ? "" : `?after=${encodeURIComponent(after)}`}`);
  let seen = after;
  source.onmessage = (event: MessageEvent<string>) => {
    seen = event.lastEventId;
    store.take(JSON.parse(event.data) as Frame);
  };
  source.onopen = () => store.connection("open");
  source.onerror = () => {
    store.connection("lost");
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => connect(seen), againMs);
  };
}
