/** The things that everybody who looks at the page should know: lost connections, troubles, leases, and an opened recording. */
import type { JSX } from "preact";
import { timeOfDay } from "../parts/format.js";
import { Mark, Problem } from "../parts/small.js";
import { closeRecording, type Opened } from "../recording/opened.js";
import type { Watched } from "../state/store.js";

export interface NoticesProps {
  readonly watched: Watched;
  /** The parts of the shown moment that nobody remembers, in words. */
  readonly note: string | undefined;
  readonly opened: Opened;
}

export function Notices({ watched, note, opened }: NoticesProps): JSX.Element {
  const { connection, process: line } = watched;
  const lease = line?.leadership;
  return (
    <section class="notices" aria-label="notices">
      <OpenedNotice opened={opened} />
      {note !== undefined && (
        <p class="note">
          <Mark tone="busy" title="not remembered" /> {note}
        </p>
      )}
      {connection === "lost" && (
        <Problem text="The process does not answer: what you see is its last known state. Trying again every second." />
      )}
      {line?.problems.map((problem) => (
        <Problem key={problem} text={problem} />
      ))}
      {lease?.lost !== undefined && (
        <Problem
          text={`This process lost the lease ${lease.lease} at ${timeOfDay(lease.lost.at)}: ${lease.lost.why}. It does not reconcile.`}
        />
      )}
      {lease !== undefined && !lease.leads && (
        <p class="note">
          <Mark tone="busy" title="waiting" /> {lease.leader === "" ? "Nobody leads." : `${lease.leader} leads.`} This
          process ({lease.identity}) keeps its caches warm and does not reconcile.
        </p>
      )}
    </section>
  );
}

function OpenedNotice({ opened }: { readonly opened: Opened }): JSX.Element | null {
  switch (opened.type) {
    case "none":
      return null;
    case "reading":
      return <p class="note">Reading {opened.name}…</p>;
    case "refused":
      return <Problem text={`${opened.name} cannot be opened: ${opened.why}`} />;
    case "open": {
      const { name, trace } = opened.recording;
      return (
        <div class="recorded">
          <p>
            <b>Recording</b> {name}
            {trace.seed !== "" && <span class="soft"> · seed {trace.seed}</span>}
            {trace.omitted > 0 && <span class="soft"> · {trace.omitted} entries are left out</span>}
          </p>
          <button type="button" onClick={closeRecording}>
            close the recording
          </button>
          {trace.oracle !== "" && <Problem text={[`${trace.oracle}:`, ...trace.messages].join(" ")} />}
          {trace.faults.length > 0 && <p class="soft">with {trace.faults.join("; ")}</p>}
        </div>
      );
    }
  }
}
