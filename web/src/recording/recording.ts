/** An opened recording: answers the questions of the views for any of its moments, in the place of a process. */
import { causesOf } from "../../../src/controller/history/causes.js";
import type { JournalEntry, KeyState } from "../../../src/controller/index.js";
import { chainAnswer, revisionsOf } from "../../../src/dashboard/objects/chain.js";
import { figuresAt, keysAt } from "../../../src/dashboard/replay/keys-at.js";
import { concerns, runLine } from "../../../src/dashboard/replay/run-line.js";
import type { KeysAnswer, MomentLine, RunLine, WhyAnswer } from "../../../src/dashboard/wire.js";
import type { Moment } from "../state/moment.js";
import type { Watched } from "../state/store.js";
import { lanesAt } from "./lanes-at.js";
import type { Told, Trace } from "./trace.js";

/** A line of the story, with the moment that it leads to. */
export interface StoryLine extends Told {
  readonly moment: Moment;
}

const mostMoments = 2_000;
const mostChained = 150;
const mostRuns = 300;

/** Its clock shows the time since it began: midnight is the beginning. */
const beginning = new Date(2_000, 0, 1).getTime();

export class Recording {
  readonly name: string;
  readonly trace: Trace;
  readonly story: readonly StoryLine[];
  readonly #runs: readonly JournalEntry[];
  readonly #kinds = new Map<string, string>();

  constructor(name: string, trace: Trace) {
    this.name = name;
    this.trace = trace;
    let revision = "";
    this.story = trace.entries.map((told) => {
      revision = told.revision || revision;
      return { ...told, moment: { at: beginning + told.at, revision } };
    });
    const actors = new Set(trace.entries.flatMap(({ run, actor }) => (run === undefined ? [] : [actor])));
    this.#runs = this.story.flatMap(({ run, actor }) =>
      run === undefined ? [] : [shifted(run, actors.size > 1 ? actor : "")],
    );
    for (const { controller, key, reasons } of this.#runs) {
      const own = reasons.find((reason) => reason.key === key)?.kind;
      if (own !== undefined && !this.#kinds.has(controller)) this.#kinds.set(controller, own);
    }
  }

  /** The moment after everything has happened. */
  get end(): Moment {
    return this.story.at(-1)?.moment ?? { at: beginning, revision: "" };
  }

  watchedAt({ at }: Moment): Watched {
    const names = new Set(this.#runs.map(({ controller }) => controller));
    const facts = Array.from(names, (name) => ({ name, kind: this.#kinds.get(name) ?? "", concurrency: 1 }));
    const begun = this.#runs.filter(({ startedAt }) => startedAt <= at);
    const lines = figuresAt(this.#runs, facts, at);
    return {
      lanes: lanesAt(
        this.story.filter(({ moment }) => moment.at <= at),
        begun,
      ),
      controllers: new Map(lines.map((line) => [line.name, line])),
      process: undefined,
      runs: begun.slice(-mostRuns).map(runLine),
      connection: "open",
      restarted: false,
    };
  }

  /** Answers a question as the process would; rejects if a recording cannot know the answer. */
  async answer(path: string): Promise<unknown> {
    const [name, query] = [path.split("?")[0], new URLSearchParams(path.split("?")[1] ?? "")];
    const at = Number(query.get("until") ?? this.end.at);
    switch (name) {
      case "moments":
        return this.#moments();
      case "keys":
        return this.#keys(query, at);
      case "why":
        return this.#why(query, at);
      case "runs":
        return this.#runsOf(query, at);
      case "numbers":
        throw new Error("a recording has no numbers: it has requests, events of watches, faults and reconciles");
      default:
        throw new Error("a recording has no objects: it has requests, events of watches, faults and reconciles");
    }
  }

  #moments(): readonly MomentLine[] {
    const stride = Math.ceil(this.story.length / mostMoments);
    const all = this.story.map(({ moment }) => moment);
    return all.filter((_, i) => (all.length - 1 - i) % stride === 0);
  }

  #keys(query: URLSearchParams, at: number): KeysAnswer {
    const offset = Number(query.get("offset") ?? 0);
    const limit = Number(query.get("limit") ?? 100);
    const asked = { controller: query.get("controller") ?? "", state: (query.get("state") ?? "ready") as KeyState };
    return { at, offset, ...keysAt(this.#runs, { ...asked, text: query.get("text") ?? "", offset, limit, at }) };
  }

  #runsOf(query: URLSearchParams, at: number): readonly RunLine[] {
    const [controller, text] = [query.get("controller"), query.get("text") ?? ""];
    const isAsked = (run: JournalEntry): boolean =>
      run.startedAt <= at && (controller === null || run.controller === controller) && concerns(run, text);
    return this.#runs.filter(isAsked).slice(-mostRuns).map(runLine);
  }

  #why(query: URLSearchParams, at: number): WhyAnswer {
    const [asked, namespace, name] = [query.get("kind") ?? "", query.get("namespace") ?? "", query.get("name") ?? ""];
    const kinds = new Set(
      this.#runs.flatMap(({ reasons, writes }) => [...reasons, ...writes].map((one) => one.kind ?? "")),
    );
    const kind = [...kinds].find((one) => one.toLowerCase() === asked.toLowerCase()) ?? asked;
    const object = { kind, resource: "", namespace, name, uid: "" };
    const controllers = new Set([...this.#kinds.keys()].filter((one) => this.#kinds.get(one) === kind));
    const key = namespace === "" ? name : `${namespace}/${name}`;
    const begun = this.#runs.filter(({ startedAt }) => startedAt <= at);
    const chain = chainAnswer(causesOf(begun, { kind, key, controllers, limit: mostChained }));
    const problem = "A recording has no objects: it shows the reconciles that concern it, and their writes.";
    return { object, problem, troubles: [], revisions: revisionsOf(chain, object), events: [], chain };
  }
}

function shifted(run: JournalEntry, actor: string): JournalEntry {
  return {
    ...run,
    controller: actor === "" ? run.controller : `${run.controller} of ${actor}`,
    startedAt: beginning + run.startedAt,
    writes: run.writes.map((write) => ({ ...write, at: beginning + write.at })),
  };
}
