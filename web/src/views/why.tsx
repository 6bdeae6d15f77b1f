/** One object: its family, its manifest with the managers of its fields, its history, and the chain of causes across controllers. */
import { Fragment, type JSX } from "preact";
import { useContext } from "preact/hooks";
import type { EventLine, FieldChange, Revision, TreeNode, WhyAnswer } from "../../../src/dashboard/wire.js";
import { ago, isKind, keyOf, timeOfDay } from "../parts/format.js";
import { Empty, Mark, Problem } from "../parts/small.js";
import { isRevisionUnknown, UnknownRevision } from "../parts/unknown-revision.js";
import { Yaml } from "../parts/yaml.js";
import { useAsk } from "../state/ask.js";
import { type Moment, momentQuery, momentText, ShownMoment } from "../state/moment.js";
import { adjust, href } from "../state/route.js";
import { useClock, type Watched } from "../state/store.js";
import { ChainGraph } from "./chain.js";
import type { ViewProps } from "./flow.js";

/** Its answer takes several requests to the server, and a look at each cache. */
const restMs = 1_000;

export function Why({ watched, settings }: ViewProps): JSX.Element {
  const { kind = "", resource = "", namespace = "", name = "" } = settings;
  const moment = useContext(ShownMoment);
  const query = new URLSearchParams({ kind, resource, namespace, name, ...momentQuery(moment) });
  const path = name === "" ? undefined : `why?${query.toString()}`;
  // nobody watches events, which come after the changes that they tell of; the past does not change
  const tick = Math.floor(useClock() / 3_000);
  const { answer, problem, isAsking } = useAsk<WhyAnswer>(
    path,
    moment === undefined ? `${versionOf(watched, name)} ${tick}` : 0,
    restMs,
  );
  if (path === undefined) return <Choose watched={watched} />;
  if (isRevisionUnknown(moment)) return <UnknownRevision />;
  if (answer === undefined) {
    if (problem === undefined || isAsking) return <p class="loading" />;
    return (
      <>
        <Problem text={problem} />
        <Choose watched={watched} />
      </>
    );
  }
  return <Board answer={answer} problem={problem} moment={moment} />;
}

interface BoardProps {
  readonly answer: WhyAnswer;
  readonly problem: string | undefined;
  readonly moment: Moment | undefined;
}

function Board({ answer, problem, moment }: BoardProps): JSX.Element {
  const { object, manifest, family, chain } = answer;
  return (
    <div class="why-board">
      <header class="subject">
        <h2>
          <span class="soft">{object.kind}</span> {keyOf(object)}
        </h2>
        {family !== undefined && <State node={find(family, object.uid)} />}
        <small class="soft">{object.resource}</small>
        {moment?.revision && <span class="moment">as it was at revision {moment.revision}</span>}
      </header>
      {problem !== undefined && <Problem text={problem} />}
      {answer.problem !== undefined && <Problem text={answer.problem} />}
      {answer.troubles.map((trouble) => (
        <Problem key={trouble} text={trouble} />
      ))}
      <section class="panel causes" aria-label="causes and effects">
        <h3>Causes and effects</h3>
        <ChainGraph chain={chain} subject={object} />
      </section>
      <section class="panel family" aria-label="owners and dependents">
        <h3>Family</h3>
        {answer.familyProblem !== undefined && <Problem text={answer.familyProblem} />}
        {family === undefined ? <Empty title="Not known" /> : <Branch node={family} subject={object.uid} />}
      </section>
      <section class="panel story" aria-label="history">
        <h3>History</h3>
        <Story why={answer} at={moment?.revision ?? ""} />
      </section>
      <section class="panel manifest" aria-label="manifest">
        <h3>
          Object <small>with the manager of each field</small>
        </h3>
        {manifest === undefined ? <Empty title="The object is not there" /> : <Yaml object={manifest} />}
      </section>
    </div>
  );
}

/** Changes when the object, its family or their reconciles may have changed: only then the page asks again. */
function versionOf({ runs, lanes }: Watched, name: string): string {
  let last = "";
  for (const run of runs)
    if (run.key.includes(name) || run.because.includes(name)) last = `${run.controller}${run.run}`;
  let events = 0;
  for (const lane of lanes.values()) if (lane.kind !== "Lease") events += lane.events;
  return `${last} ${events}`;
}

/** Without an object: the objects that were reconciled lately. */
function Choose({ watched }: { readonly watched: Watched }): JSX.Element {
  const now = useClock();
  const latest = new Map(
    watched.runs.map((run) => [`${watched.controllers.get(run.controller)?.kind ?? ""} ${run.key}`, run] as const),
  );
  const shown = [...latest]
    .filter(([id]) => isKind(id))
    .sort(([, a], [, b]) => b.startedAt - a.startedAt)
    .slice(0, 30);
  return (
    <section class="choose panel" aria-label="objects that were reconciled lately">
      <h2>Which object? Type kind/name above, or choose one that was reconciled lately.</h2>
      {shown.length === 0 && <Empty title="No object was reconciled yet" />}
      <ul>
        {shown.map(([id, { key, because, startedAt }]) => {
          const kind = id.slice(0, id.indexOf(" "));
          const [name = "", namespace = ""] = key.split("/").reverse();
          return (
            <li key={id}>
              <a href={href("why", { kind, namespace, name })}>
                <span class="soft">{kind}</span> <b>{key}</b>
                <small>{because}</small>
                <small class="soft">{ago(startedAt, now)}</small>
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function find(node: TreeNode, uid: string): TreeNode | undefined {
  if (node.uid === uid) return node;
  for (const child of node.children) {
    const found = find(child, uid);
    if (found !== undefined) return found;
  }
  return undefined;
}

function State({ node }: { readonly node: TreeNode | undefined }): JSX.Element | null {
  if (node === undefined || node.state === "") return null;
  return (
    <span class={`state ${node.tone}`}>
      <Mark tone={node.tone} title="" /> {node.state}
    </span>
  );
}

/** A tree of owners; the subject is marked. */
function Branch({ node, subject }: { readonly node: TreeNode; readonly subject: string }): JSX.Element {
  const { kind, resource, namespace, name, uid, children, more } = node;
  return (
    <ul class="branch">
      <li>
        <a href={href("why", { resource, namespace, name })} aria-current={uid === subject ? "true" : undefined}>
          <Mark tone={node.tone} title={node.tone} />
          <span class="soft">{kind}</span> {name}
          {node.state !== "" && <small class={node.tone}>{node.state}</small>}
        </a>
        {children.map((child) => (
          <Branch key={child.uid} node={child} subject={subject} />
        ))}
        {more > 0 && <p class="soft">and {more} more</p>}
      </li>
    </ul>
  );
}

interface Told {
  readonly at: number;
  readonly line: JSX.Element;
  readonly id: string;
}

/** Revisions and events in one list, the newest first. */
function Story({ why, at }: { readonly why: WhyAnswer; readonly at: string }): JSX.Element {
  const { revisions, events, revisionsProblem, eventsProblem } = why;
  const all: Told[] = [
    ...revisions.map((one) => ({
      at: one.at,
      id: `r${one.revision}`,
      line: <Written revision={one} isShown={one.revision === at} />,
    })),
    ...events.map((one, i) => ({ at: one.at, id: `e${i}`, line: <Happened event={one} /> })),
  ].sort((a, b) => b.at - a.at);
  return (
    <>
      {eventsProblem !== undefined && <Problem text={`events cannot be shown: ${eventsProblem}`} />}
      {all.length === 0 && (
        <Empty title="Nothing is remembered">Neither the journal nor the server’s events know of it.</Empty>
      )}
      <ol class="story-list">
        {all.map((told) => (
          <li key={told.id}>
            <time>{timeOfDay(told.at).slice(0, 8)}</time>
            {told.line}
          </li>
        ))}
      </ol>
      {revisionsProblem !== undefined && <p class="note">Nothing older: {revisionsProblem}.</p>}
    </>
  );
}

function Written({ revision, isShown }: { readonly revision: Revision; readonly isShown: boolean }): JSX.Element {
  const { writer, run, fields, changes, omittedChanges = 0, isCreation = false } = revision;
  return (
    <div>
      <b>{writer === "" ? "somebody" : writer}</b>
      {run !== undefined && <span class="soft"> #{run}</span>} {isCreation ? "created it" : "wrote"}{" "}
      {changes === undefined ? (
        <span class="soft">@{revision.revision}</span>
      ) : (
        <button
          class="revision"
          type="button"
          aria-pressed={isShown}
          title="show the object as it was then"
          onClick={() => adjust({ at: isShown ? undefined : momentText(momentAfter(revision)) })}
        >
          @{revision.revision}
        </button>
      )}
      {changes === undefined && fields.length > 0 && <p class="fields">{fields.join(", ")}</p>}
      {changes !== undefined && changes.length > 0 && (
        <ul class="changes">
          {changes.map((change) => (
            <Change key={change.path} change={change} />
          ))}
          {omittedChanges > 0 && <li class="soft">and {omittedChanges} more</li>}
        </ul>
      )}
    </div>
  );
}

/** The server tells times in whole seconds, the journal to the millisecond: everything of the write's second is in it. */
const momentAfter = ({ at, revision }: Revision): Moment => ({ at: at % 1_000 === 0 ? at + 999 : at, revision });

/** A line may break after a part of the path, not inside of its words. */
function breakable(path: string): JSX.Element[] {
  return path.split(/(?<=\.)|(?=\[)/).map((part, i) => (
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** A field with its value before and after; the words are for readers who do not see colours. */
function Change({ change: { path, before, after } }: { readonly change: FieldChange }): JSX.Element {
  return (
    <li>
      <span class="path">{breakable(path)}</span>{" "}
      {before === undefined ? <span class="soft">none</span> : <del aria-label={`before: ${before}`}>{before}</del>} →{" "}
      {after === undefined ? <span class="soft">none</span> : <ins aria-label={`after: ${after}`}>{after}</ins>}
    </li>
  );
}

export function Happened({ event }: { readonly event: EventLine }): JSX.Element {
  const isWarning = event.type === "Warning";
  return (
    <div>
      {isWarning && <Mark tone="bad" title="warning" />} <b class={isWarning ? "bad" : ""}>{event.reason}</b>
      <span class="soft"> {event.source}</span>
      {event.count > 1 && <span class="soft"> ×{event.count}</span>}
      <p>{event.message}</p>
    </div>
  );
}
