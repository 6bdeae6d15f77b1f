/** The work of a page in the browser while something happens: takes a tab and an action, gives the processor time of its main thread, by a trace. */
import type { Browser, Page as Tab } from "playwright-core";

export interface PageWork {
  /** Milliseconds of processor time of each task of the main thread that ran scripts, styles or layouts of the page. */
  readonly tasks: readonly number[];
  /** The sums of all tasks, in milliseconds of processor time. */
  readonly scriptingMs: number;
  readonly layoutMs: number;
  readonly paintingMs: number;
  readonly layouts: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** The processor time of the thread, in microseconds: waits for a busy machine are not in it. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const layouts: ReadonlySet<string> = new Set(["Layout", "UpdateLayoutTree", "PrePaint", "Layerize"]);
const paintings: ReadonlySet<string> = new Set(["Paint", "Commit"]);
const scripts: ReadonlySet<string> = new Set(["FunctionCall", "EvaluateScript", "RunMicrotasks", "MinorGC", "MajorGC"]);

export async function workOf(browser: Browser, tab: Tab, act: () => Promise<unknown>): Promise<PageWork> {
  const categories = ["devtools.timeline", "toplevel", "disabled-by-default-devtools.timeline"];
  await browser.startTracing(tab, { categories });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  return workIn(traceEvents);
}

function workIn(events: readonly TraceEvent[]): PageWork {
  const [main] = mainThreads(events);
  const own = events.filter((event) => event.ph === "X" && threadOf(event) === main);
  const sum = (names: ReadonlySet<string>): number =>
    outermost(own.filter(({ name }) => names.has(name))).reduce((all, event) => all + msOf(event), 0);
  const tasks = own.filter(({ name }) => name === "RunTask" || name === "ThreadControllerImpl::RunTask");
  return {
    tasks: outermost(tasks).map(msOf),
    scriptingMs: sum(scripts),
    layoutMs: sum(layouts),
    paintingMs: sum(paintings),
    layouts: own.filter(({ name }) => name === "Layout").length,
  };
}

const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
const msOf = ({ tdur, dur = 0 }: TraceEvent): number => (tdur ?? dur) / 1_000;

/** Renderers' main threads, the busiest first: a browser has some without a page. */
function mainThreads(events: readonly TraceEvent[]): readonly string[] {
  const named = events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const work = new Map(named.map((event) => [threadOf(event), 0]));
  for (const event of events) {
    const known = work.get(threadOf(event));
    if (known !== undefined && event.name === "FunctionCall") work.set(threadOf(event), known + msOf(event));
  }
  return [...work].sort((a, b) => b[1] - a[1]).map(([thread]) => thread);
}

/** Events of one thread that lie in no other one of them. */
function outermost(events: readonly TraceEvent[]): readonly TraceEvent[] {
  let end = Number.NEGATIVE_INFINITY;
  return events
    .toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))
    .filter(({ ts, dur = 0 }) => {
      if (ts < end) return false;
      end = ts + dur;
      return true;
    });
}

/** The work in words, for people: how long a frame takes depends on the machine, so no test asks for it. */
export function workText(work: PageWork, frames: number): string {
  const each = (ms: number): string => `${(ms / frames).toFixed(1)} ms`;
  const sorted = work.tasks.toSorted((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1);
  return (
    `processor time of a frame: scripts ${each(work.scriptingMs)}, styles and layout ${each(work.layoutMs)}, ` +
    `painting ${each(work.paintingMs)}; tasks: ${at(0.95)} ms (95 of 100), ${at(1)} ms (longest)`
  );
}
