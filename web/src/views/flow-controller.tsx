/** One controller of the flow: its queue, its workers, and the keys that need attention. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ControllerLine, Tone } from "../../../src/dashboard/wire.js";
import { count, rate } from "../parts/format.js";
import { Mark, Spark } from "../parts/small.js";
import { href } from "../state/route.js";
import { store } from "../state/store.js";

export interface ControllerRowProps {
  readonly line: ControllerLine;
  readonly now: number;
  readonly shade: string;
  readonly onPoint: () => void;
}

export function controllerTone({ failing, dead, slowed, overdue, ready, concurrency }: ControllerLine): Tone {
  if (dead > 0 || overdue > 0 || slowed > 0 || failing > 0) return "bad";
  return ready > concurrency * 10 ? "busy" : "good";
}

/** More keys wait than the workers, all of which are at work, can take soon. */
const isBehind = ({ ready, active, concurrency }: ControllerLine): boolean =>
  ready > concurrency * 10 && active >= concurrency;

/** Drawn again only if something of it has changed: the stream moves some lines ten times a second. */
export function ControllerRow(props: ControllerRowProps): JSX.Element {
  return useMemo(() => <ControllerStations {...props} />, [props.line, props.now, props.shade]);
}

function ControllerStations({ line, now, shade, onPoint }: ControllerRowProps): JSX.Element {
  const { name, kind, ready, delayed, active, concurrency } = line;
  const runs = `runs ${name}`;
  const tone = controllerTone(line);
  return (
    <article
      class={`controller ${tone}${shade}`}
      onMouseEnter={onPoint}
      onFocusCapture={onPoint}
      data-controller={name}
    >
      <div class="kind">
        <a href={href("queues", { controller: name })}>{name}</a>
        <small>
          <Troubles line={line} /> {kind}
        </small>
      </div>
      <div class="runs" title={`${line.runs} runs since the start`}>
        {useMemo(
          () => (
            <Spark values={store.history.series(runs, now)} label={`runs of ${name} in the last minute`} tone={tone} />
          ),
          [runs, now, tone],
        )}
        <span class="rate">{rate(store.history.last(runs, now))}</span>
      </div>
      <div class={`queue${ready > 0 ? " busy" : ""}`} title={`${ready} keys wait, ${delayed} are delayed`}>
        <b>{count(ready)}</b>
        <small>{delayed > 0 ? `+${count(delayed)} later` : ""}</small>
      </div>
      <Workers active={active} concurrency={concurrency} />
    </article>
  );
}

const drawnWorkers = 10;

function Workers({ active, concurrency }: { readonly active: number; readonly concurrency: number }): JSX.Element {
  const shown = Math.min(concurrency, drawnWorkers);
  const lit = Math.ceil((active / Math.max(1, concurrency)) * shown);
  return (
    <div
      class="workers"
      role="img"
      aria-label={`${active} of ${concurrency} workers run`}
      title={`${active} of ${concurrency} workers run`}
    >
      {Array.from({ length: shown }, (_, i) => (
        <i key={i} class={i < lit ? "on" : ""} />
      ))}
    </div>
  );
}

/** The keys that need attention, in words. */
export function Troubles({ line }: { readonly line: ControllerLine }): JSX.Element {
  const { failing, dead, slowed, overdue, ready } = line;
  const all = [
    [failing, "failing"],
    [dead, "given up"],
    [slowed, "looping"],
    [overdue, "overdue"],
    [isBehind(line) ? ready : 0, `behind ${line.concurrency} busy`],
  ] as const;
  return (
    <>
      {all
        .filter(([number]) => number > 0)
        .map(([number, word]) => (
          <em key={word} class="trouble">
            <Mark tone="bad" title="" /> {count(number)} {word}
          </em>
        ))}
    </>
  );
}
