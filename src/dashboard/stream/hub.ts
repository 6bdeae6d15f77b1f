/** Sends the state of a process to any number of open pages: the whole of it first, then its changes, at most ten times a second. */
import { deepEqual } from "../../api/index.js";
import { type Clock, Ring, type Timer } from "../../base/index.js";
import type { JournalEntry } from "../../controller/index.js";
import type { PageSources } from "../sources.js";
import type { ControllerLine, Lane, ProcessLine } from "../wire.js";
import { runLine } from "../replay/run-line.js";
import { type Sampled, Sampler } from "./sample.js";

export interface HubOptions {
  readonly sources: PageSources;
  readonly clock: Clock;
  /** Told apart from the hub of an earlier process, whose numbers mean nothing here. */
  readonly epoch: string;
}

/**
 * Takes one frame, a server-sent event as it travels, which all viewers share; a page that does not keep up gives false
 * until it has drained, and gets the whole state then.
 */
export interface Viewer {
  send(frame: Uint8Array): boolean;
}

const everyMs = 100;
const keptFrames = 100;
/** A screen has room for fewer, and the journal has the others. */
const runsInFrame = 8;
const runsInWhole = 100;

interface State {
  readonly lanes: ReadonlyMap<string, Sampled<Lane>>;
  readonly controllers: ReadonlyMap<string, Sampled<ControllerLine>>;
  readonly process: ProcessLine | undefined;
}

const nothing: State = { lanes: new Map(), controllers: new Map(), process: undefined };

interface KeptFrame {
  readonly sequence: number;
  readonly bytes: Uint8Array;
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
  readonly #frames = new Ring<KeptFrame>();
  #known: State = nothing;
  /** The newest runs since the last frame, and the number of the others. */
  readonly #runs = new Ring<JournalEntry>();
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
    if (missed === undefined) viewer.send(this.#whole());
    else for (const { bytes } of missed) viewer.send(bytes);
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
    if (this.#behind.delete(viewer)) viewer.send(this.#whole());
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
    this.#runs.push(entry);
    if (this.#runs.length <= runsInFrame) return;
    this.#runs.shift();
    this.#omittedRuns += 1;
  }

  /** Makes a frame of the changes since the last one, if there are any, and sends it. */
  #sample(): void {
    const sampler = this.#sampler;
    if (sampler === undefined) return;
    // a process whose controllers begin later has no journal at first
    this.#listening ??= this.#options.sources.journal()?.watch((entry) => this.#ran(entry));
    const known = this.#known;
    this.#known = { lanes: sampler.lanes(), controllers: sampler.controllers(), process: sampler.process() };
    const lanes = changesText(known.lanes, this.#known.lanes);
    const controllers = changesText(known.controllers, this.#known.controllers);
    const isProcessNews = !deepEqual(known.process, this.#known.process);
    if (lanes === "" && controllers === "" && !isProcessNews && this.#runs.length === 0) return;
    let text = `{"at":${this.#options.clock.now()},"whole":false`;
    if (lanes !== "") text += `,"lanes":{${lanes}}`;
    if (controllers !== "") text += `,"controllers":{${controllers}}`;
    if (isProcessNews) text += `,"process":${JSON.stringify(this.#known.process)}`;
    if (this.#runs.length > 0) text += this.#runsText();
    this.#publish(`${text}}`);
  }

  #runsText(): string {
    const text = `,"runs":${JSON.stringify(Array.from(this.#runs, runLine))},"omittedRuns":${this.#omittedRuns}`;
    this.#runs.clear();
    this.#omittedRuns = 0;
    return text;
  }

  #publish(data: string): void {
    this.#sequence += 1;
    const bytes = this.#event(data);
    this.#frames.push({ sequence: this.#sequence, bytes });
    if (this.#frames.length > keptFrames) this.#frames.shift();
    for (const viewer of this.#viewers) {
      if (this.#behind.has(viewer)) continue;
      if (!viewer.send(bytes)) this.#behind.add(viewer);
    }
  }

  /** JSON has no line breaks of its own. */
  #event(data: string): Uint8Array {
    return Buffer.from(`id: ${this.#options.epoch}-${this.#sequence}\ndata: ${data}\n\n`);
  }

  #missedSince(lastSeen: string | undefined): readonly KeptFrame[] | undefined {
    const prefix = `${this.#options.epoch}-`;
    if (lastSeen === undefined || !lastSeen.startsWith(prefix)) return undefined;
    const seen = Number(lastSeen.slice(prefix.length));
    const oldest = this.#frames.peek()?.sequence ?? this.#sequence + 1;
    if (!Number.isInteger(seen) || seen > this.#sequence || seen + 1 < oldest) return undefined;
    return [...this.#frames].filter(({ sequence }) => sequence > seen);
  }

  #whole(): Uint8Array {
    const { sources, clock } = this.#options;
    const { lanes, controllers, process } = this.#known;
    const whole = {
      at: clock.now(),
      whole: true,
      lanes: Object.fromEntries(lanes),
      controllers: Object.fromEntries(controllers),
      process,
      runs: (sources.journal()?.entries() ?? []).slice(-runsInWhole).map(runLine),
    };
    return this.#event(JSON.stringify(whole));
  }
}

type Line = Readonly<Record<string, unknown>>;

/**
 * The members of an object, as JSON, with the lines that differ from the known ones, each with the fields that do: a field
 * that is gone is `null`, and so is a line. "" if there are none.
 */
function changesText(known: ReadonlyMap<string, Line>, now: ReadonlyMap<string, Line>): string {
  let text = "";
  for (const [id, line] of now) {
    const fields = fieldsText(known.get(id) ?? {}, line);
    if (fields !== "") text += `${text === "" ? "" : ","}${JSON.stringify(id)}:{${fields}}`;
  }
  for (const id of known.keys()) if (!now.has(id)) text += `${text === "" ? "" : ","}${JSON.stringify(id)}:null`;
  return text;
}

/** Both lines have the same fields, unless there is no known line: an absent field is undefined. */
function fieldsText(known: Line, line: Line): string {
  let text = "";
  for (const name in line) {
    const value = line[name];
    if (deepEqual(known[name], value)) continue;
    text += `${text === "" ? "" : ","}"${name}":${value === undefined ? "null" : JSON.stringify(value)}`;
  }
  return text;
}
