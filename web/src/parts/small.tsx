/** The small parts of all views: marks of state, sparklines, empty states. */
import type { ComponentChildren, JSX } from "preact";
import type { Tone } from "../../../src/dashboard/wire.js";

const shapes: Readonly<Record<Tone, JSX.Element>> = {
  good: <circle cx="5" cy="5" r="4" />,
  busy: <path d="M5 1a4 4 0 1 0 0 8z M5 1.700a3.300 3.300 0 0 1 0 6.600" class="half" />,
  bad: <path d="M5 .8 9.400 8.800H.6z" />,
  none: <circle cx="5" cy="5" r="3.300" class="hollow" />,
};

/**
 * A state by shape and colour: a disc is good, half a disc is in progress, a triangle is bad, a ring is nothing. An empty
 * title is for a mark beside a word that says the same.
 */
export function Mark({ tone, title }: { readonly tone: Tone; readonly title: string }): JSX.Element {
  const words = title === "" ? ({ "aria-hidden": true } as const) : ({ role: "img", "aria-label": title } as const);
  return (
    <svg class={`mark ${tone}`} viewBox="0 0 10 10" {...words}>
      {shapes[tone]}
    </svg>
  );
}

export interface SparkProps {
  readonly values: readonly number[];
  readonly label: string;
  readonly length?: number;
  readonly tone?: Tone | undefined;
}

/** The last minute as a line, on a scale from 0 to its greatest value. */
export function Spark({ values, label, length = 60, tone = "none" }: SparkProps): JSX.Element {
  const most = Math.max(1, ...values);
  const start = length - values.length;
  const points = values.map((value, i) => `${start + i},${(15 - (value / most) * 13.5).toFixed(1)}`);
  const line = points.length < 2 ? "" : `M${points.join("L")}`;
  return (
    <svg
      class={`spark ${tone}`}
      viewBox={`0 0 ${length - 1} 16`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {line !== "" && <path class="area" d={`${line}L${length - 1},16L${start},16Z`} />}
      {line !== "" && <path class="line" d={line} />}
    </svg>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

export function Problem({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="problem" role="alert">
      <Mark tone="bad" title="problem" /> {text}
    </div>
  );
}

export interface FindProps {
  readonly value: string;
  readonly label: string;
  readonly onFind: (text: string) => void;
}

export function Find({ value, label, onFind }: FindProps): JSX.Element {
  return (
    <input
      class="find"
      type="search"
      value={value}
      placeholder={label}
      aria-label={label}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => onFind(event.currentTarget.value)}
    />
  );
}
