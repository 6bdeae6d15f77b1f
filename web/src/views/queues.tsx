/** The keys of each controller: waiting, running, delayed, failing, given up and looping, with their reasons; found by text among any number. */
import type { JSX } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ControllerLine, KeysAnswer, RunLine } from "../../../src/dashboard/wire.js";
import { count, rate } from "../parts/format.js";
import { useCurrentInSight } from "../parts/current.js";
import { Empty, Find, Mark, Problem } from "../parts/small.js";
import { VirtualList } from "../parts/virtual-list.js";
import { useAsk } from "../state/ask.js";
import { momentQuery, ShownMoment } from "../state/moment.js";
import { useRuns } from "../state/runs.js";
import { adjust, href } from "../state/route.js";
import { store, useClock, type Watched } from "../state/store.js";
import type { ViewProps } from "./flow.js";
import { controllerTone, Troubles } from "./flow-controller.js";
import { Recent } from "./flow-recent.js";
import { KeyLine, rowHeight, troubledHeight } from "./key-row.js";

const states = ["ready", "running", "delayed", "failing", "dead", "slowed", "paused"] as const;
type State = (typeof states)[number];

const words: Readonly<Record<State, string>> = {
  ready: "waiting",
  running: "running",
  delayed: "delayed",
  failing: "failing",
  dead: "given up",
  slowed: "looping",
  paused: "paused",
};

/** The meaning of each state, for a list that is empty. */
const about: Readonly<Record<State, string>> = {
  ready: "A key waits here after a change of its object, until a worker is free. An empty queue has caught up.",
  running: "A worker reconciles a running key right now.",
  delayed: "A delayed key comes back by itself after a time that its reconciler asked for.",
  failing: "The last reconcile of a failing key threw an error; it is tried again, later each time.",
  dead: "A key is given up when trying again cannot help; a change of its object brings it back.",
  slowed: "A key loops if its own writes, or those of a rival, wake it again and again; it is slowed down.",
  paused: "A paused key is left alone, because its object or its controller says so.",
};

export function Queues({ watched, settings }: ViewProps): JSX.Element {
  const lines = [...watched.controllers.values()];
  // chosen once: a list must not turn into another one while somebody reads it
  const first = useRef<string>(undefined);
  first.current ??= mostInteresting(lines, watched.runs);
  const named = settings["controller"] ?? first.current;
  const chosen = lines.find(({ name }) => name === named) ?? lines[0];
  if (chosen === undefined) {
    return <Empty title="No controller works at this moment">Its queues appear when it starts.</Empty>;
  }
  return (
    <div class="queues-board">
      <ControllerList watched={watched} lines={lines} chosen={chosen.name} />
      <Keys key={chosen.name} line={chosen} watched={watched} settings={settings} />
    </div>
  );
}

/** The first controller with trouble, or the one that ran last. */
function mostInteresting(lines: readonly ControllerLine[], runs: readonly RunLine[]): string | undefined {
  const troubled = lines.find((line) => controllerTone(line) === "bad");
  return troubled?.name ?? runs.at(-1)?.controller;
}

interface ListProps {
  readonly watched: Watched;
  readonly lines: readonly ControllerLine[];
  readonly chosen: string;
}

function ControllerList({ lines, chosen }: ListProps): JSX.Element {
  const now = useClock();
  const box = useCurrentInSight<HTMLElement>(chosen);
  return (
    <nav class="side" aria-label="controllers" ref={box}>
      {lines.map((line) => (
        <a
          key={line.name}
          href={href("queues", { controller: line.name })}
          aria-current={line.name === chosen ? "true" : undefined}
        >
          <Mark tone={controllerTone(line)} title={controllerTone(line)} />
          <span class="name">
            <span title={line.name}>{line.name}</span>
            <small>
              <Troubles line={line} />
            </small>
          </span>
          <span class="number" title="keys that wait">
            {line.ready > 0 ? count(line.ready) : ""}
          </span>
          <span class="rate">{rate(store.history.last(`runs ${line.name}`, now))}/s</span>
        </a>
      ))}
    </nav>
  );
}

function countOf(line: ControllerLine, state: State): number {
  return state === "running" ? line.active : line[state];
}

const pageSize = 100;
/** A search among more keys than this is work that the process notices. */
const manyKeys = 10_000;
const seldomMs = 2_000;

interface KeysProps extends ViewProps {
  readonly line: ControllerLine;
}

function Keys({ line, watched, settings }: KeysProps): JSX.Element {
  const state = states.find((one) => one === settings["state"]) ?? firstWithKeys(line);
  const text = settings["text"] ?? "";
  const moment = useContext(ShownMoment);
  const [page, turn] = useState(0);
  useEffect(() => turn(0), [state, text]);
  const query = new URLSearchParams({
    controller: line.name,
    state,
    text,
    offset: String(page * pageSize),
    limit: String(pageSize * 2),
    ...momentQuery(moment),
  });
  // delayed keys move without a change of the figures
  const tick = Math.floor(useClock() / 1_000);
  const { answer, problem } = useAsk<KeysAnswer>(
    `keys?${query.toString()}`,
    `${countOf(line, state)} ${line.runs} ${tick}`,
    countOf(line, state) > manyKeys ? seldomMs : undefined,
  );
  const height = isTrouble(state) ? troubledHeight : rowHeight;
  const last = useLast(answer, `${state} ${text}`);
  const runs = useRuns(watched, { controller: line.name });
  return (
    <section class="keys" aria-label={`keys of ${line.name}`}>
      <header>
        <h2>
          {line.name} <small>{line.kind}</small>
        </h2>
        <Find
          value={text}
          label={`find a key of ${line.name}`}
          onFind={(found) => adjust({ text: found, controller: line.name })}
        />
      </header>
      <div class="tabs" role="group" aria-label="states of keys">
        {states.map((one) => (
          <a
            key={one}
            href={href("queues", { controller: line.name, state: one, text })}
            aria-current={one === state ? "true" : undefined}
            class={isTrouble(one) && countOf(line, one) > 0 ? "bad" : ""}
          >
            {words[one]} <b>{count(countOf(line, one))}</b>
          </a>
        ))}
      </div>
      {line.lastError !== undefined && state !== "failing" && state !== "dead" && (
        <p class="note last-error">
          <Mark tone="bad" title="last error" /> last error of {line.lastError.key}: {line.lastError.message}
        </p>
      )}
      {moment !== undefined && (
        <p class="note">
          The journal tells the keys of this moment: those whose reconcile it remembers. Loops it does not know.
        </p>
      )}
      {problem !== undefined && <Problem text={problem} />}
      {last !== undefined && last.total > 0 ? (
        <VirtualList
          key={`${state} ${text} ${moment?.at ?? ""}`}
          total={last.total}
          rowHeight={height}
          label={`${last.total} keys, ${words[state]}`}
          onVisible={(first) => turn(Math.floor(first / pageSize))}
          row={(i) => <KeyLine key={i} row={last.rows.get(i)} at={last.at} kind={line.kind} height={height} />}
        />
      ) : (
        <div class="no-keys">
          <Empty
            title={text === "" ? `No key is ${words[state]}` : `No key that is ${words[state]} contains “${text}”`}
          >
            {about[state]}
          </Empty>
          {text === "" && runs.length > 0 && <Recent runs={runs} controllers={watched.controllers} text="" />}
        </div>
      )}
    </section>
  );
}

const isTrouble = (state: State): boolean => state === "failing" || state === "dead" || state === "slowed";

function firstWithKeys(line: ControllerLine): State {
  const byInterest = ["slowed", "dead", "failing", "ready", "running", "delayed", "paused"] as const;
  return byInterest.find((state) => countOf(line, state) > 0) ?? "ready";
}

interface Shown {
  readonly total: number;
  readonly at: number;
  readonly rows: ReadonlyMap<number, KeysAnswer["rows"][number]>;
}

/** The last answer stays while another page of the same list is asked for. */
function useLast(answer: KeysAnswer | undefined, list: string): Shown | undefined {
  const [known, keep] = useState<{ readonly list: string; readonly shown: Shown } | undefined>();
  const shown = useMemo(
    () =>
      answer === undefined
        ? undefined
        : { ...answer, rows: new Map(answer.rows.map((row, i) => [answer.offset + i, row])) },
    [answer],
  );
  useEffect(() => {
    if (shown !== undefined) keep({ list, shown });
  }, [shown]);
  return shown ?? (known?.list === list ? known.shown : undefined);
}
