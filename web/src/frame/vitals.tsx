/** The process in one line: its load, its troubles and its memory. */
import type { JSX } from "preact";
import type { ProcessLine } from "../../../src/dashboard/wire.js";
import { bytes, millis, rate, span } from "../parts/format.js";
import { Mark, Spark } from "../parts/small.js";
import { href } from "../state/route.js";
import { store, useClock, type Watched } from "../state/store.js";

export function Vitals({ watched }: { readonly watched: Watched }): JSX.Element {
  const now = useClock();
  const { process: line, controllers, lanes } = watched;
  const { history } = store;
  const seriesOf = (name: string): readonly number[] => history.series(name, now);
  let [objects, failing, looping, waiting] = [0, 0, 0, 0];
  for (const lane of lanes.values()) objects += lane.objects;
  for (const one of controllers.values()) {
    failing += one.failing + one.dead;
    looping += one.slowed;
    waiting += one.ready;
  }
  // of a moment that the page has not seen, the journal knows the keys alone
  const seen = (value: (process: ProcessLine) => string): string => (line === undefined ? "—" : value(line));
  const keys = (number: number): string => (controllers.size === 0 ? "—" : String(number));
  const rateOf = (name: string): string => seen(() => rate(history.last(name, now)));
  return (
    <section aria-label="the process">
      <dl class="vitals">
        <Vital name="process" value={seen(({ title }) => title)} more={line && roleOf(line, now)} wide />
        <Vital name="reconciles/s" value={rateOf("runs")} spark={seriesOf("runs")} />
        <Vital name="events/s" value={rateOf("events")} spark={seriesOf("events")} />
        <Vital name="waiting" value={keys(waiting)} spark={seriesOf("ready")} />
        <Vital
          name="failing"
          value={keys(failing)}
          more={looping > 0 ? `${looping} looping` : undefined}
          bad={failing + looping > 0}
          to={failing + looping > 0 ? href("queues") : undefined}
        />
        <Vital name="cached" value={seen(() => String(objects))} more="objects" />
        <Vital name="cpu" value={seen(({ cpuPercent }) => `${cpuPercent} %`)} spark={seriesOf("cpu")} />
        <Vital name="loop lag" value={seen(({ lagMs }) => millis(lagMs))} spark={seriesOf("lag")} />
        <Vital name="memory" value={seen(({ rssBytes }) => bytes(rssBytes))} spark={seriesOf("rss")} />
      </dl>
    </section>
  );
}

function roleOf({ startedAt, leadership }: ProcessLine, now: number): string {
  const role = leadership === undefined ? "" : leadership.leads ? "leads · " : "stands by · ";
  return `${role}up ${span(now - startedAt)}`;
}

interface VitalProps {
  readonly name: string;
  readonly value: string;
  readonly more?: string | undefined;
  readonly spark?: readonly number[];
  readonly bad?: boolean;
  readonly wide?: boolean;
  /** The view that tells more. */
  readonly to?: string | undefined;
}

function Vital({ name, value, more, spark, bad = false, wide = false, to }: VitalProps): JSX.Element {
  return (
    <div class={`vital${wide ? " wide" : ""}${bad ? " bad" : ""}`}>
      <dt>{name}</dt>
      <dd>
        {bad && <Mark tone="bad" title="" />}
        {to === undefined ? (
          <b>{value}</b>
        ) : (
          <a href={to} title="show the keys">
            <b>{value}</b>
          </a>
        )}
        {more !== undefined && <small>{more}</small>}
        {spark !== undefined && <Spark values={spark} label={`${name} in the last minute`} />}
      </dd>
    </div>
  );
}
