/** The open resources of the process: takes each as it is opened, gives the ones that are left open, and where they were opened. */

/** The kind of an open resource; `run` is a Running that was not disposed. */
export type LeakKind = "timer" | "subscription" | "socket" | "server" | "run" | "handle";

export interface OpenResource {
  /** Greater than the id of everything opened before. */
  readonly id: number;
  readonly kind: LeakKind;
  readonly description: string;
  /** The source line that opened it: the first stack frame outside base/. */
  readonly openedAt: string;
}

/**
 * Watches everything opened from now on. A resource counts as left open if it was opened after the mark and its handle
 * has not been disposed.
 */
export interface LeakDetection extends Disposable {
  /** A point in time for `openSince`. */
  mark(): number;
  openSince(mark: number): readonly OpenResource[];
}

interface Tracked {
  readonly kind: LeakKind;
  readonly description: string | (() => string);
  readonly alive: (() => boolean) | undefined;
  /** Kept as an Error, because printing a stack costs far more than a timer does; printed only when asked for. */
  readonly opening: Error;
}

/** The open resources by id while detection is on; undefined otherwise, which makes tracking free. */
let tracked: Map<number, Tracked> | undefined;
let opened = 0;

const untracked: Disposable = { [Symbol.dispose]: () => {} };

/**
 * Records a resource as open until the result is disposed. When detection is off this does nothing, at no cost. `alive`
 * is asked at detection time, for a resource that may end, or cease to matter, without being disposed.
 */
export function trackLeak(kind: LeakKind, description: string | (() => string), alive?: () => boolean): Disposable {
  if (tracked === undefined) return untracked;
  const into = tracked;
  const id = ++opened;
  into.set(id, { kind, description, alive, opening: new Error("opened here") });
  return { [Symbol.dispose]: () => void into.delete(id) };
}

/** Turns detection on until the result is disposed. Only one detection can be on at a time. */
export function detectLeaks(): LeakDetection {
  if (tracked !== undefined) throw new Error("leak detection is already on");
  const mine = new Map<number, Tracked>();
  tracked = mine;
  return {
    mark: () => opened,
    openSince: (mark) =>
      [...mine].filter(([id, { alive }]) => id > mark && alive?.() !== false).map(([id, entry]) => describe(id, entry)),
    [Symbol.dispose]() {
      if (tracked === mine) tracked = undefined;
    },
  };
}

/** Stack frames that open resources on behalf of others: base/ itself (but not its tests), Node, packages, wrappers of Node. */
const plumbing = /\/(?:src|dist)\/base\/(?!.*\.test\.)|node:|\/node_modules\/|\/track-sockets\./;

function describe(id: number, { kind, description, opening }: Tracked): OpenResource {
  const frames = (opening.stack ?? "").split("\n").slice(1);
  const opener = frames.find((line) => /:\d+:\d+\)?$/.test(line) && !plumbing.test(line)) ?? frames.at(-1);
  return {
    id,
    kind,
    description: typeof description === "string" ? description : description(),
    openedAt: (opener ?? "").trim().replace(/^at /, ""),
  };
}
