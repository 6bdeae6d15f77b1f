/** The metrics of the process as plots that can be zoomed: requests, latencies, reconciles, queues, memory and the event loop. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { NumbersAnswer } from "../../../src/dashboard/wire.js";
import { bytes, count, millis, rate, timeOfDay } from "../parts/format.js";
import { Problem } from "../parts/small.js";
import { ask } from "../state/ask.js";
import { store } from "../state/store.js";
import type { ViewProps } from "./flow.js";
import { type Plotted, Recorder } from "./recorder.js";

const everyMs = 1_000;

export function Numbers({ watched }: ViewProps): JSX.Element {
  const recorder = useRef(new Recorder());
  const [, draw] = useState(0);
  const [problem, tell] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    const load = async (): Promise<void> => {
      try {
        recorder.current.take(await ask<NumbersAnswer>("numbers", ended.signal), store.now.process);
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
  }, [watched.restarted]);
  return (
    <>
      {problem !== undefined && <Problem text={problem} />}
      <div class="plots">
        {recorder.current.plots.map((plot) => (
          <Plot key={plot.title} plot={plot} recorder={recorder.current} />
        ))}
      </div>
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

/** A plot is made anew when its lines become others; otherwise it takes new data, and keeps the zoom of its user. */
function Plot({ plot, recorder }: { readonly plot: Plotted; readonly recorder: Recorder }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ readonly chart: uPlot; readonly names: string } | undefined>(undefined);
  const { names, data } = recorder.lines(plot);
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
    const { min = 0, max = 0 } = chart.scales["x"] ?? {};
    const isZoomed = chart.data[0].length > 1 && (min ?? 0) > (chart.data[0][0] ?? 0);
    chart.setData(data as uPlot.AlignedData, !isZoomed);
    if (isZoomed && max !== null && times.length > 0) chart.setScale("x", { min: min ?? 0, max });
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
        {plot.title} <small>{plot.about}</small>
      </h2>
      <div class="canvas" ref={box} />
    </section>
  );
}

const plotHeight = 190;

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
    points: { show: false },
    value: (_: uPlot, value: number | null) => (value === null ? "—" : format(value)),
  }));
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: plotHeight,
    cursor: { drag: { x: true, y: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(plot.atLeast, max * 1.1)] } },
    axes: [
      { ...axis, values: (_, ticks) => ticks.map((at) => timeOfDay(at * 1_000).slice(0, 8)) },
      { ...axis, size: 62, values: (_, ticks) => ticks.map(format) },
    ],
    series: [{ label: "at", value: (_, at) => (at === null ? "" : timeOfDay(at * 1_000).slice(0, 8)) }, ...series],
  };
  return new uPlot(options, [[]], element);
}
