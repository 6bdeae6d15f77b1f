/** The reconciles that caused each other, as a graph: a row for each controller, time from left to right; walked by choosing a run. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Chain, ChainLink, ChainRun, ObjectLink } from "../../../src/dashboard/wire.js";
import { keyOf, millis, timeOfDay } from "../parts/format.js";
import { Empty, Mark } from "../parts/small.js";
import { resultTones } from "./flow-recent.js";

const step = 30;
const row = 26;
const left = 14;

export interface ChainGraphProps {
  readonly chain: Chain;
  readonly subject: ObjectLink;
}

export function ChainGraph({ chain, subject }: ChainGraphProps): JSX.Element {
  const [chosen, choose] = useState("");
  const { runs, links } = chain;
  if (runs.length === 0) {
    return (
      <Empty title="No remembered reconcile concerns this object">
        The journal of this process keeps the newest runs; others may have written the object.
      </Empty>
    );
  }
  const shown =
    runs.find(({ id }) => id === chosen) ?? runs.findLast((run) => run.key === keyOf(subject)) ?? runs.at(-1);
  const rows = [...new Set(runs.map(({ controller }) => controller))];
  const place = (run: ChainRun): { readonly x: number; readonly y: number } => ({
    x: left + runs.indexOf(run) * step,
    y: row / 2 + rows.indexOf(run.controller) * row,
  });
  return (
    <>
      <div class="chain">
        <ul class="chain-names" aria-hidden="true">
          {rows.map((name) => (
            <li key={name} style={{ height: `${row}px` }}>
              {name}
            </li>
          ))}
        </ul>
        <div class="chain-scroll">
          <svg
            width={left * 2 + (runs.length - 1) * step}
            height={rows.length * row}
            role="group"
            aria-label="reconciles"
          >
            {rows.map((name, i) => (
              <line key={name} class="track" x1="0" x2="100%" y1={row / 2 + i * row} y2={row / 2 + i * row} />
            ))}
            {links.map((link, i) => (
              <Cause
                key={i}
                link={link}
                runs={runs}
                place={place}
                lit={link.to === shown?.id || link.from === shown?.id}
              />
            ))}
            {runs.map((run) => (
              <Dot key={run.id} run={run} at={place(run)} isShown={run === shown} onChoose={() => choose(run.id)} />
            ))}
          </svg>
        </div>
      </div>
      {shown !== undefined && <RunDetails run={shown} chain={chain} onChoose={choose} />}
    </>
  );
}

interface DotProps {
  readonly run: ChainRun;
  readonly at: { readonly x: number; readonly y: number };
  readonly isShown: boolean;
  readonly onChoose: () => void;
}

function Dot({ run, at, isShown, onChoose }: DotProps): JSX.Element {
  const label = `${run.controller} #${run.run} of ${run.key}, ${run.result.type}`;
  const tone = resultTones[run.result.type];
  const pressed = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onChoose();
  };
  return (
    <g
      class={`dot ${tone}${isShown ? " shown" : ""}`}
      tabindex={0}
      role="button"
      aria-label={label}
      aria-pressed={isShown}
      transform={`translate(${at.x} ${at.y})`}
      onClick={onChoose}
      onKeyDown={pressed}
    >
      <title>{label}</title>
      <circle class="hit" r="12" />
      {tone === "bad" ? (
        <path d="M0-6.500 6.500 5H-6.500z" />
      ) : (
        <circle r={run.writes.some(({ outcome }) => outcome === "done") ? 5.5 : 3.5} />
      )}
    </g>
  );
}

interface CauseProps {
  readonly link: ChainLink;
  readonly runs: readonly ChainRun[];
  readonly place: (run: ChainRun) => { readonly x: number; readonly y: number };
  readonly lit: boolean;
}

/** A curve from the run that wrote to the run that it woke; a short stroke from above if the writer is somebody else. */
function Cause({ link, runs, place, lit }: CauseProps): JSX.Element | null {
  const [from, to] = [runs.find(({ id }) => id === link.from), runs.find(({ id }) => id === link.to)];
  if (to === undefined) return null;
  const end = place(to);
  const path = from === undefined ? `M${end.x - 7} ${end.y - 11}L${end.x} ${end.y}` : curve(place(from), end);
  return (
    <path class={`cause${lit ? " lit" : ""}${from === undefined ? " outside" : ` ${link.how}`}`} d={path}>
      <title>{`${link.kind} ${link.key} @${link.revision}`}</title>
    </path>
  );
}

function curve(a: { readonly x: number; readonly y: number }, b: { readonly x: number; readonly y: number }): string {
  const bend = Math.max(12, Math.abs(b.x - a.x) / 2);
  // two runs of one row are joined by an arc above it
  if (a.y === b.y) return `M${a.x} ${a.y}Q${(a.x + b.x) / 2} ${a.y - 16} ${b.x} ${b.y}`;
  return `M${a.x} ${a.y}C${a.x + bend} ${a.y} ${b.x - bend} ${b.y} ${b.x} ${b.y}`;
}

interface RunDetailsProps {
  readonly run: ChainRun;
  readonly chain: Chain;
  readonly onChoose: (id: string) => void;
}

function RunDetails({ run, chain, onChoose }: RunDetailsProps): JSX.Element {
  const { result } = run;
  const causes = chain.links.filter(({ to }) => to === run.id);
  return (
    // a scrolling region must be reachable by the keyboard
    <div class="run-details" tabIndex={0} role="region" aria-label="the chosen reconcile">
      <p>
        <Mark tone={resultTones[result.type]} title={result.type} /> <b>{run.controller}</b>{" "}
        <span class="soft">#{run.run}</span> reconciled <b>{run.key}</b> at {timeOfDay(run.startedAt)}{" "}
        <span class="soft">
          after {millis(run.waitedMs)} in the queue, for {millis(run.durationMs)}: {result.type}
        </span>
      </p>
      {"error" in result && <p class="bad">{result.error}</p>}
      <dl>
        <dt>because</dt>
        <dd>
          {run.reasons.map((reason, i) => {
            const link = causes.find(
              ({ kind, key, revision }) =>
                kind === reason.kind && key === reason.key && revision === (reason.revision ?? ""),
            );
            return (
              <Step
                key={i}
                to={link?.from}
                onChoose={onChoose}
                arrow="←"
                otherwise={reason.kind === undefined ? "" : "written elsewhere"}
                isLater={link?.how === "created"}
              >
                {[reason.kind, reason.key, reason.type].filter(Boolean).join(" ")}
                {reason.revision && <span class="soft"> @{reason.revision}</span>}{" "}
                {[...(reason.fields ?? []), reason.message ?? ""].join(" ")}
              </Step>
            );
          })}
          {run.omittedReasons > 0 && <p class="soft">and {run.omittedReasons} more reasons</p>}
        </dd>
        <dt>wrote</dt>
        <dd>
          {run.writes.length === 0 && <p class="soft">nothing</p>}
          {run.writes.map((write, i) => (
            <Written key={i} write={write} chain={chain} onChoose={onChoose} />
          ))}
        </dd>
      </dl>
    </div>
  );
}

interface WrittenProps {
  readonly write: ChainRun["writes"][number];
  readonly chain: Chain;
  readonly onChoose: (id: string) => void;
}

function Written({ write, chain, onChoose }: WrittenProps): JSX.Element {
  const { verb, kind, key, fields, revision, outcome, error } = write;
  const woken = chain.links.filter(
    (link) => link.kind === kind && link.key === key && link.revision === revision && revision !== "",
  );
  return (
    <>
      <p class={outcome === "failed" ? "bad" : ""}>
        {verb} {kind} {key} {revision !== "" && <span class="soft">@{revision}</span>}{" "}
        {outcome === "done" ? fields.join(", ") : outcome} {error}
      </p>
      {woken.map(({ to }) => (
        <Step key={to} to={to} onChoose={onChoose} arrow="→" otherwise="">
          woke
        </Step>
      ))}
    </>
  );
}

interface StepProps {
  readonly to: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly arrow: string;
  readonly otherwise: string;
  /** True if somebody else changed the object after the run had created it. */
  readonly isLater?: boolean;
  readonly children: preact.ComponentChildren;
}

/** A step along the chain: to the run that is the cause or the effect. */
function Step({ to, onChoose, arrow, otherwise, isLater = false, children }: StepProps): JSX.Element {
  return (
    <p class="step">
      {children}{" "}
      {to === undefined ? (
        <span class="soft">{otherwise}</span>
      ) : (
        <button type="button" onClick={() => onChoose(to)}>
          {arrow} {to}
          {isLater && " created it"}
        </button>
      )}
    </p>
  );
}
