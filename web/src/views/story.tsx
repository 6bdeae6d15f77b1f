/** The story of a recording: every request, event, fault and reconcile in its order; choosing a line shows its moment. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Tone } from "../../../src/dashboard/wire.js";
import { timeOfDay } from "../parts/format.js";
import { Empty, Mark } from "../parts/small.js";
import { VirtualList } from "../parts/virtual-list.js";
import type { Recording, StoryLine } from "../recording/recording.js";
import { type Moment, momentText } from "../state/moment.js";
import { adjust } from "../state/route.js";

const height = 26;

export interface StoryProps {
  readonly recording: Recording;
  readonly moment: Moment | undefined;
  readonly text: string;
}

export function Story({ recording, moment, text }: StoryProps): JSX.Element {
  const lines = useMemo(
    () => (text === "" ? recording.story : recording.story.filter((line) => line.text.includes(text))),
    [recording, text],
  );
  const shown = moment === undefined ? -1 : lines.findLastIndex((line) => line.moment.at <= moment.at);
  if (lines.length === 0) return <Empty title={text === "" ? "The recording is empty" : "No line has this text"} />;
  return (
    <section class="recorded-story panel" aria-label="the story of the recording">
      <h2>
        What happened <small>choose a line to see its moment</small>
      </h2>
      <VirtualList
        total={lines.length}
        rowHeight={height}
        label={`${lines.length} lines of the story`}
        reveal={shown}
        row={(i) => <Line key={i} line={lines[i]} isShown={i === shown} isLater={i > shown} />}
      />
    </section>
  );
}

function toneOf({ type, run, asked }: StoryLine): Tone {
  if (type === "fault" || asked?.failed === true || (run !== undefined && "error" in run.result)) return "bad";
  return type === "reconcile" ? "good" : type === "life" ? "busy" : "none";
}

/** The actor has a column of its own. */
const withoutActor = ({ actor, text }: StoryLine): string =>
  text.startsWith(actor) ? text.slice(actor.length).replace(/^:? /, "") : text;

interface LineProps {
  readonly line: StoryLine | undefined;
  readonly isShown: boolean;
  readonly isLater: boolean;
}

function Line({ line, isShown, isLater }: LineProps): JSX.Element {
  if (line === undefined) return <div role="listitem" />;
  return (
    <div class={`story-line ${line.type}${isLater ? " later" : ""}`} role="listitem" style={{ height: `${height}px` }}>
      <button
        type="button"
        aria-pressed={isShown}
        title={line.text}
        onClick={() => adjust({ at: momentText(line.moment) })}
      >
        <Mark tone={toneOf(line)} title={line.type} />
        <time>{timeOfDay(line.moment.at)}</time>
        <span class="who">{line.actor}</span>
        <span class="told">{withoutActor(line)}</span>
      </button>
    </div>
  );
}
