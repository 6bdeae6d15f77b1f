/** Sends the state of a process to any number of open pages: the whole of it first, then its changes, at most ten times a second. */
import { type Clock, Ring, type Timer } from "../../base/index.js";
import type { JournalEntry } from "../../controller/index.js";
import type { PageSources } from "../sources.js";
import type { RunLine } from "../wire.js";
import { runLine } from "../replay/run-line.js";
import { Sampler } from "./sample.js";

export interface HubOptions {
  readonly sources: PageSources;
  readonly clock: Clock;
  /** Told apart from the hub of an earlier process, whose numbers mean nothing here. */
  readonly epoch: string;
}

/** Takes one frame; a page that does not keep up gives false until it has drained, and gets the whole state then. */
export interface Viewer {
  send(id: string, data: string): boolean;
}

const everyMs = 100;
const keptFrames = 100;
const runsInFrame = 20;
const runsInWhole = 100;

/** The fields of a line, each as JSON. */
type Fields = Map<string, string>;

/** The parts of a frame whose members are compared field by field. */
interface Known {
  readonly lanes: Map<string, Fields>;
  readonly controllers: Map<string, Fields>;
  process: string;
}

/**
 * Costs nothing while nobody looks: no timer, no subscription, no sample.
 *
 * Invariants:
 * 1. `#sampler`, `#timer` and `#listening` exist exactly while there are viewers.
 * 2. `#known` is the state that a viewer has who has taken every frame up to `#sequence`.
 * 3. `#frames` has the last frames, of which the newest has the number `#sequence`.
 */
export class Hub implements Disposable {
  readonly #options: HubOptions;
  readonly #viewers = new Set<Viewer>();
  /** Viewers whose connection is full: they get the whole state when it is not. */
  readonly #behind = new Set<Viewer>();
  readonly #frames = new Ring<{ readonly sequence: number; readonly data: string }>();
  readonly #known: Known = { lanes: new Map(), controllers: new Map(), process: "" };
  #runs: RunLine[] = [];
  #omittedRuns = 0;
  #sequence = 0;
  #sampler: Sampler | undefined;
  #timer: Timer | undefined;
  #listening: Disposable | undefined;

  constructor(options: HubOptions) {
    this.#options = options;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /**
   * Sends the frames after the last one that the viewer has seen, or the whole state if they are not kept any more.
   * Disposing ends it.
   */
  view(viewer: Viewer, lastSeen: string | undefined): Disposable {
    if (this.#viewers.size === 0) this.#begin();
    // so that nothing is older than this moment
    this.#sample();
    const missed = this.#missedSince(lastSeen);
    if (missed === undefined) viewer.send(this.#id(this.#sequence), this.#whole());
    else for (const { sequence, data } of missed) viewer.send(this.#id(sequence), data);
    this.#viewers.add(viewer);
    return {
      [Symbol.dispose]: () => {
        this.#behind.delete(viewer);
        if (this.#viewers.delete(viewer) && this.#viewers.size === 0) this[Symbol.dispose]();
      },
    };
  }

  /** The viewer's connection can take more again. */
  drained(viewer: Viewer): void {
    if (this.#behind.delete(viewer)) viewer.send(this.#id(this.#sequence), this.#whole());
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#listening?.[Symbol.dispose]();
    this.#sampler?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#listening = undefined;
    this.#sampler = undefined;
    this.#viewers.clear();
    this.#behind.clear();
  }

  #begin(): void {
    const { sources, clock } = this.#options;
    this.#sampler = new Sampler(sources, clock);
    this.#arm();
  }

  #arm(): void {
    this.#timer = this.#options.clock.timer(everyMs, () => {
      this.#sample();
      this.#arm();
    });
  }

  #ran(entry: JournalEntry): void {
    this.#sampler?.ran(entry);
    if (this.#runs.length < runsInFrame) this.#runs.push(runLine(entry));
    else this.#omittedRuns += 1;
  }

  /** Makes a frame of the changes since the last one, if there are any, and sends it. */
  #sample(): void {
    const sampler = this.#sampler;
    if (sampler === undefined) return;
    // a process whose controllers begin later has no journal at first
    this.#listening ??= this.#options.sources.journal()?.watch((entry) => this.#ran(entry));
    const lanes = changesOf(this.#known.lanes, sampler.lanes());
    const controllers = changesOf(this.#known.controllers, sampler.controllers());
    const process = JSON.stringify(sampler.process());
    const isProcessNews = process !== this.#known.process;
    this.#known.process = process;
    const runs = this.#runs;
    if (lanes.length + controllers.length + runs.length === 0 && !isProcessNews) return;
    const parts = [
      `"at":${this.#options.clock.now()},"whole":false`,
      ...(lanes.length > 0 ? [`"lanes":${membersText(lanes)}`] : []),
      ...(controllers.length > 0 ? [`"controllers":${membersText(controllers)}`] : []),
      ...(isProcessNews ? [`"process":${process}`] : []),
      ...(runs.length > 0 ? [`"runs":${JSON.stringify(runs)},"omittedRuns":${this.#omittedRuns}`] : []),
    ];
    this.#runs = [];
    this.#omittedRuns = 0;
    this.#publish(`{${parts.join()}}`);
  }

  #publish(data: string): void {
    this.#sequence += 1;
    this.#frames.push({ sequence: this.#sequence, data });
    if (this.#frames.length > keptFrames) this.#frames.shift();
    for (const viewer of this.#viewers) {
      if (this.#behind.has(viewer)) continue;
      if (!viewer.send(this.#id(this.#sequence), data)) this.#behind.add(viewer);
    }
  }

  #id(sequence: number): string {
    return `${this.#options.epoch}-${sequence}`;
  }

  #missedSince(
    lastSeen: string | undefined,
  ): readonly { readonly sequence: number; readonly data: string }[] | undefined {
    const prefix = `${this.#options.epoch}-`;
    if (lastSeen === undefined || !lastSeen.startsWith(prefix)) return undefined;
    const seen = Number(lastSeen.slice(prefix.length));
    const oldest = this.#frames.peek()?.sequence ?? this.#sequence + 1;
    if (!Number.isInteger(seen) || seen > this.#sequence || seen + 1 < oldest) return undefined;
    return [...this.#frames].filter(({ sequence }) => sequence > seen);
  }

  #whole(): string {
    const { sources, clock } = this.#options;
    const runs = (sources.journal()?.entries() ?? []).slice(-runsInWhole).map(runLine);
    const { lanes, controllers, process } = this.#known;
    const parts = [
      `"lanes":${membersText(wholeLines(lanes))}`,
      `"controllers":${membersText(wholeLines(controllers))}`,
      `"process":${process}`,
      `"runs":${JSON.stringify(runs)}`,
    ];
    return `{"at":${clock.now()},"whole":true,${parts.join()}}`;
  }
}

/**
 * The lines that differ from the known ones, each with the fields that do: a field that is gone is `null`, and so is a
 * line. The known fields become the new ones.
 */
function changesOf(
  known: Map<string, Fields>,
  now: ReadonlyMap<string, object>,
): readonly (readonly [string, string])[] {
  const changes: [string, string][] = [];
  for (const [id, line] of now) {
    const fields = known.get(id) ?? new Map<string, string>();
    known.set(id, fields);
    const changed = fieldChanges(fields, line);
    if (changed.length > 0) changes.push([id, membersText(changed)]);
  }
  for (const id of known.keys()) {
    if (now.has(id)) continue;
    known.delete(id);
    changes.push([id, "null"]);
  }
  return changes;
}

function fieldChanges(known: Fields, line: object): readonly (readonly [string, string])[] {
  const changes: [string, string][] = [];
  for (const [name, value] of Object.entries(line)) {
    const text = JSON.stringify(value);
    if (known.get(name) === text) continue;
    known.set(name, text);
    changes.push([name, text]);
  }
  for (const name of known.keys()) {
    if (name in line) continue;
    known.delete(name);
    changes.push([name, "null"]);
  }
  return changes;
}

const wholeLines = (lines: ReadonlyMap<string, Fields>): Iterable<readonly [string, string]> =>
  Array.from(lines, ([id, fields]) => [id, membersText(fields)] as const);

/** Members whose values are JSON already. */
const membersText = (members: Iterable<readonly [string, string]>): string =>
  `{${Array.from(members, ([id, text]) => `${JSON.stringify(id)}:${text}`).join()}}`;
