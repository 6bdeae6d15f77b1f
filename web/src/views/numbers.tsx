/** The metrics of the process as plots that can be zoomed: requests, latencies, reconciles, queues, memory and the event loop. */
import type { JSX } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { bytes, count, millis, rate, timeOfDay } from "../parts/format.js";
import { Problem } from "../parts/small.js";
import { openedRecording } from "../recording/opened.js";
import { type Moment, ShownMoment } from "../state/moment.js";
import { numbers, readNumbers } from "../state/numbers.js";
import type { Plotted } from "../state/recorder.js";
import type { ViewProps } from "./flow.js";

const everyMs = 1_000;

export function Numbers({ watched }: ViewProps): JSX.Element {
  const moment = useContext(ShownMoment);
  const [reading, draw] = useState(0);
  const [problem, tell] = useState<string>();
  const isMoving = moment === undefined || openedRecording() !== undefined;
  useEffect(() => {
    // the past does not move while somebody looks at it
    if (!isMoving) return;
    const ended = new AbortController();
    const load = async (): Promise<void> => {
      try {
        await readNumbers(ended.signal);
        tell(undefined);
        draw((n) => n + 1);
      } catch (error) {
        if (!ended.signal.aborted) tell(error instanceof Error ? error.message : String(error));
      }
    };
    void load();
    const timer = setInterval(() => void load(), everyMs);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [watched.restarted, isMoving]);
  const { since } = numbers;
  const plots = useMemo(
    () => numbers.plots.map((plot) => <Plot key={plot.title} plot={plot} moment={moment} />),
    [reading, moment],
  );
  if (openedRecording() !== undefined)
    return problem === undefined ? <p class="loading" /> : <Problem text={problem} />;
  return (
    <>
      {problem !== undefined && <Problem text={problem} />}
      {moment !== undefined && (since === undefined || moment.at < since) && (
        <p class="note">
          The numbers of this moment are not remembered: the page reads them since
          {since === undefined ? " now" : ` ${timeOfDay(since).slice(0, 8)}, when it was opened`}.
        </p>
      )}
      <div class="plots">{plots}</div>
    </>
  );
}

const colours = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#0072b2", "#b3a800", "#8c8c8c"];
const shown: Readonly<Record<Plotted["unit"], (value: number) => string>> = {
  rate,
  millis,
  bytes,
  count,
  bytesRate: (value) => `${bytes(value)}/s`,
  percent: (value) => `${Math.round(value)} %`,
};

/** The values beside an axis, which may be as near to each other as 0.25 and 0.5. */
function tick(unit: Plotted["unit"], value: number): string {
  if (unit !== "rate" && unit !== "millis") return shown[unit](value);
  const text = value < 10_000 ? String(Number(value.toFixed(3))) : count(value);
  return unit === "millis" ? (value < 1_000 ? `${text} ms` : millis(value)) : text;
}

/**
 * A plot is made anew when its lines become others; otherwise it takes new data, and keeps the zoom of its user. A moment
 * of the past is marked, and the legend tells its values; otherwise the newest, or those below the pointer.
 */
function Plot({ plot, moment }: { readonly plot: Plotted; readonly moment: Moment | undefined }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ readonly chart: uPlot; readonly names: string } | undefined>(undefined);
  const { names, more, data } = numbers.lines(plot);
  const [zoomed, setZoomed] = useState(false);
  const zoom = (event: KeyboardEvent): void => {
    const chart = drawn.current?.chart;
    const step = steps[event.key];
    if (chart === undefined || step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    // a number would choose a view
    event.stopPropagation();
    chart.setScale("x", step(rangeOf(chart), wholeOf(chart)));
    setZoomed(isZoomed(chart));
  };
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const key = names.join("\n");
    if (drawn.current?.names !== key) {
      drawn.current?.chart.destroy();
      drawn.current = { chart: chartOf(plot, names, element), names: key };
    }
    const { chart } = drawn.current;
    const [times = []] = data;
    const seen = isZoomed(chart) ? rangeOf(chart) : undefined;
    chart.setData(data as uPlot.AlignedData, seen === undefined);
    if (seen !== undefined) chart.setScale("x", seen);
    setZoomed(isZoomed(chart));
    if (times.length === 0) return;
    if (moment !== undefined) chart.setCursor({ left: chart.valToPos(moment.at / 1_000, "x"), top: plotHeight / 3 });
    else if ((chart.cursor.left ?? -1) < 0) chart.setLegend({ idx: times.length - 1 });
  });
  useEffect(() => {
    const resize = (): void => {
      if (box.current !== null) drawn.current?.chart.setSize({ width: box.current.clientWidth, height: plotHeight });
    };
    addEventListener("resize", resize);
    return () => {
      removeEventListener("resize", resize);
      drawn.current?.chart.destroy();
      drawn.current = undefined;
    };
  }, []);
  return (
    <section class="panel plot" aria-label={plot.title}>
      <h2>
        {plot.title} <small>{zoomed ? "zoomed · double-click or 0 shows everything" : plot.about}</small>
        {more > 0 && !zoomed && (
          <small>
            {" "}
            · {names.length} of {names.length + more}
          </small>
        )}
      </h2>
      {names.length === 0 && <p class="quiet">none since the page was opened</p>}
      <div
        class={`canvas${names.length === 0 ? " bare" : ""}`}
        ref={box}
        tabIndex={names.length === 0 ? -1 : 0}
        role="group"
        aria-label={`plot of ${plot.title}: + and - zoom, arrows move, 0 shows everything`}
        onKeyDown={zoom}
        onMouseUp={() => requestAnimationFrame(() => setZoomed(isZoomed(drawn.current?.chart)))}
        onDblClick={() => requestAnimationFrame(() => setZoomed(isZoomed(drawn.current?.chart)))}
      />
    </section>
  );
}

/** A part of the horizontal axis, in seconds. */
interface Range {
  readonly min: number;
  readonly max: number;
}

const rangeOf = ({ scales: { x } }: uPlot): Range => ({ min: x?.min ?? 0, max: x?.max ?? 0 });
const wholeOf = ({ data: [times] }: uPlot): Range => ({ min: times[0] ?? 0, max: times.at(-1) ?? 0 });

function isZoomed(chart: uPlot | undefined): boolean {
  if (chart === undefined || chart.data[0].length < 2) return false;
  const [seen, whole] = [rangeOf(chart), wholeOf(chart)];
  return seen.min > whole.min || seen.max < whole.max;
}

/** The part that is seen after a key was pressed; it stays within the whole. */
const steps: Readonly<Record<string, (seen: Range, whole: Range) => Range>> = {
  "+": (seen) => scaled(seen, 0.5),
  "=": (seen) => scaled(seen, 0.5),
  "-": (seen, whole) => within(scaled(seen, 2), whole),
  ArrowLeft: (seen, whole) => within(moved(seen, -0.25), whole),
  ArrowRight: (seen, whole) => within(moved(seen, 0.25), whole),
  "0": (_, whole) => whole,
};

function scaled({ min, max }: Range, factor: number): Range {
  const [middle, half] = [(min + max) / 2, Math.max(1, ((max - min) / 2) * factor)];
  return { min: middle - half, max: middle + half };
}

function moved({ min, max }: Range, part: number): Range {
  const by = (max - min) * part;
  return { min: min + by, max: max + by };
}

function within({ min, max }: Range, whole: Range): Range {
  const length = Math.min(max - min, whole.max - whole.min);
  const from = Math.min(Math.max(min, whole.min), whole.max - length);
  return { min: from, max: from + length };
}

const plotHeight = 190;

const clockOf = (seconds: number): string => timeOfDay(seconds * 1_000).slice(0, 8);

function chartOf(plot: Plotted, names: readonly string[], element: HTMLElement): uPlot {
  // a canvas knows no variables: at each drawing it takes the colours that the theme has given the box
  const soft = (): string => getComputedStyle(element).color;
  const line = (): string => getComputedStyle(element).borderTopColor;
  const axis = {
    stroke: soft,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
    font: "11px system-ui",
  };
  const format = shown[plot.unit];
  const series = names.map((label, i) => ({
    label,
    stroke: colours[i % colours.length] ?? "#8c8c8c",
    width: 1.5,
    // the mean of a single reading is a point without a line
    points: plot.absent === null ? { size: 5, fill: colours[i % colours.length] ?? "#8c8c8c" } : { show: false },
    spanGaps: true,
    value: (_: uPlot, value: number | null) => (value === null ? "—" : format(value)),
  }));
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: plotHeight,
    cursor: { drag: { x: true, y: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(plot.atLeast, max * 1.1)] } },
    axes: [
      { ...axis, space: 80, incrs: [1, 5, 10, 15, 30, 60, 120, 300, 600], values: (_, ticks) => ticks.map(clockOf) },
      { ...axis, size: 62, values: (_, ticks) => ticks.map((value) => tick(plot.unit, value)) },
    ],
    series: [{ label: "at", value: (_, at) => (at === null ? "" : clockOf(at)) }, ...series],
  };
  return new uPlot(options, [[]], element);
}
