/** The cluster: nodes with their pods as a map, objects of any kind as the server prints them, and the newest events. */
import type { JSX } from "preact";
import { useContext, useMemo } from "preact/hooks";
import type {
  ClusterMap,
  EventLine,
  KindLine,
  MapPod,
  PodCounts,
  TableAnswer,
  Tone,
} from "../../../src/dashboard/wire.js";
import { ago, count, keyOf } from "../parts/format.js";
import { useCurrentInSight } from "../parts/current.js";
import { Empty, Find, Mark, Problem } from "../parts/small.js";
import { isRevisionUnknown, UnknownRevision } from "../parts/unknown-revision.js";
import { VirtualList } from "../parts/virtual-list.js";
import { useAsk } from "../state/ask.js";
import { ShownMoment } from "../state/moment.js";
import { adjust, href } from "../state/route.js";
import { useClock, type Watched } from "../state/store.js";
import type { ViewProps } from "./flow.js";
import { Happened } from "./why.js";
import { Workloads } from "./workloads.js";

const tabs = ["map", "objects", "events"] as const;

export function ClusterView({ watched, settings }: ViewProps): JSX.Element {
  const tab = tabs.find((one) => one === settings["tab"]) ?? "map";
  const moment = useContext(ShownMoment);
  const at = moment?.revision ?? "";
  return (
    <div class="cluster-board">
      <div class="tools">
        <div class="tabs" role="group" aria-label="parts of the cluster">
          {tabs.map((one) => (
            <a
              key={one}
              href={href("cluster", { ...settings, tab: one })}
              aria-current={one === tab ? "true" : undefined}
            >
              {one}
            </a>
          ))}
        </div>
      </div>
      {isRevisionUnknown(moment) ? (
        <UnknownRevision />
      ) : (
        <>
          {tab === "map" && <NodeMap watched={watched} at={at} />}
          {tab === "objects" && <Objects watched={watched} settings={settings} at={at} />}
          {tab === "events" && <Events watched={watched} at={at} />}
        </>
      )}
    </div>
  );
}

/** Changes with each event of these kinds. */
function eventsOf({ lanes }: Watched, resources: readonly string[]): number {
  let events = 0;
  for (const lane of lanes.values()) if (resources.includes(lane.resource)) events += lane.events + lane.lists;
  return events;
}

function NodeMap({ watched, at }: { readonly watched: Watched; readonly at: string }): JSX.Element {
  const path = at === "" ? "map" : `map?at=${at}`;
  const { answer, problem } = useAsk<ClusterMap>(path, at === "" ? eventsOf(watched, ["v1/pods", "v1/nodes"]) : 0);
  if (answer === undefined) return problem === undefined ? <p class="loading" /> : <Problem text={problem} />;
  const { nodes, nodesMore, unassigned, unassignedMore, podsMore } = answer;
  if (nodes.length === 0 && unassigned.length === 0) {
    return <Empty title="No node and no pod yet">Nodes appear when they register, pods when they are created.</Empty>;
  }
  return (
    <>
      {problem !== undefined && <Problem text={problem} />}
      <ul class="legend-list" aria-hidden="true">
        {legend.map(([tone, word]) => (
          <li key={tone}>
            <i class={`pod ${tone}`} /> {word}
          </li>
        ))}
      </ul>
      {podsMore > 0 && (
        <p class="note">This process does not cache pods: {count(podsMore)} more are not read, and not on the map.</p>
      )}
      <div class="map">
        {unassigned.length > 0 && (
          <section class="node" aria-label="pods without a node">
            <h2>
              <Mark tone="bad" title="no node" /> no node <small>{unassigned.length + unassignedMore}</small>
            </h2>
            <Pods pods={unassigned} more={unassignedMore} />
          </section>
        )}
        {nodes.map((node) => (
          <section key={node.name} class="node" aria-label={`node ${node.name}`}>
            <h2>
              <Mark tone={node.isReady ? "good" : "bad"} title={node.isReady ? "ready" : "not ready"} />
              <a href={href("why", { resource: "v1/nodes", name: node.name })}>{node.name}</a>
              <small>
                {node.isCordoned ? "cordoned · " : ""}
                {node.pods.length + node.more}
                {node.capacity > 0 ? ` / ${node.capacity}` : ""}
              </small>
            </h2>
            <Pods pods={node.pods} more={node.more} counts={node.counts} />
          </section>
        ))}
      </div>
      {nodesMore > 0 && (
        <p class="note">and {count(nodesMore)} more nodes, which are not shown. Nodes in trouble come first.</p>
      )}
      <Troubled map={answer} />
      <Workloads workloads={answer.workloads} more={answer.workloadsMore} />
    </>
  );
}

const legend: readonly (readonly [Tone, string])[] = [
  ["good", "runs"],
  ["busy", "in progress"],
  ["bad", "in trouble"],
];

interface PodsProps {
  readonly pods: readonly MapPod[];
  readonly more: number;
  readonly counts?: PodCounts;
}

function Pods({ pods, more, counts }: PodsProps): JSX.Element {
  return (
    <div class="pods">
      {pods.map((pod) => (
        <a
          key={keyOf(pod)}
          class={`pod ${pod.tone}`}
          href={href("why", { resource: "v1/pods", namespace: pod.namespace, name: pod.name })}
          title={`${keyOf(pod)}\n${pod.state}`}
          aria-label={`pod ${keyOf(pod)}, ${pod.state}`}
        />
      ))}
      {pods.length + more === 0 && <small class="soft">no pods</small>}
      {more > 0 && <small class="soft">{moreWords(more, pods, counts)}</small>}
    </div>
  );
}

const namedPods = 6;

/** The pods in trouble by their state, in words: a map tells that something is wrong, not what. */
function Troubled({ map: { nodes, unassigned } }: { readonly map: ClusterMap }): JSX.Element | null {
  const byState = new Map<string, MapPod[]>();
  for (const pods of [unassigned, ...nodes.map((node) => node.pods)])
    for (const pod of pods) if (pod.tone === "bad") byState.set(pod.state, [...(byState.get(pod.state) ?? []), pod]);
  if (byState.size === 0) return null;
  return (
    <section class="troubled panel" aria-label="pods in trouble">
      <h2>Pods in trouble</h2>
      <dl>
        {[...byState].map(([state, pods]) => (
          <div key={state}>
            <dt>
              <Mark tone="bad" title="in trouble" /> {state} <small>{pods.length}</small>
            </dt>
            <dd>
              {pods.slice(0, namedPods).map((pod) => (
                <a
                  key={keyOf(pod)}
                  href={href("why", { resource: "v1/pods", namespace: pod.namespace, name: pod.name })}
                >
                  {keyOf(pod)}
                </a>
              ))}
              {pods.length > namedPods && <span class="soft">and {pods.length - namedPods} more</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** On a large map the pods that run well are counted alone. */
function moreWords(more: number, pods: readonly MapPod[], counts: PodCounts | undefined): string {
  const drawn = pods.filter(({ tone }) => tone === "good").length;
  if (counts === undefined || drawn > 0 || counts.good !== more) return `and ${count(more)} more`;
  return pods.length === 0 ? `all ${count(more)} run` : `and ${count(more)} that run`;
}

function Objects({ watched, settings, at }: ViewProps & { readonly at: string }): JSX.Element {
  const { resource = "apps/v1/deployments", namespace = "", text = "" } = settings;
  const tick = Math.floor(useClock(5_000) / 5_000);
  const kinds = useAsk<readonly KindLine[]>("kinds", tick);
  const query = new URLSearchParams({ resource, namespace, ...(at !== "" && { at }) });
  const { answer, problem } = useAsk<TableAnswer>(
    `table?${query.toString()}`,
    at === "" ? `${eventsOf(watched, [resource])} ${tick}` : 0,
  );
  const groups = useMemo(() => grouped(kinds.answer ?? []), [kinds.answer]);
  const box = useCurrentInSight<HTMLElement>(resource, groups.length > 0);
  return (
    <div class="objects">
      <nav class="side kinds" aria-label="kinds" ref={box}>
        {kinds.problem !== undefined && <Problem text={kinds.problem} />}
        {groups.map(([group, lines]) => (
          <section key={group}>
            <h2>{group === "" ? "core" : group}</h2>
            {lines.map((line) => (
              <a
                key={line.resource}
                href={href("cluster", { tab: "objects", resource: line.resource })}
                aria-current={line.resource === resource ? "true" : undefined}
              >
                {line.kind}
                {line.custom && <small class="soft">custom</small>}
              </a>
            ))}
          </section>
        ))}
      </nav>
      <section class="table-panel" aria-label={`objects of ${resource}`}>
        <div class="tools">
          <Find value={text} label="find by name" onFind={(found) => adjust({ text: found })} />
          <Find value={namespace} label="namespace: all" onFind={(found) => adjust({ namespace: found })} />
        </div>
        {problem !== undefined && <Problem text={problem} />}
        {answer !== undefined && <Table table={answer} resource={resource} text={text} />}
      </section>
    </div>
  );
}

function grouped(kinds: readonly KindLine[]): [string, KindLine[]][] {
  const byGroup = new Map<string, KindLine[]>();
  for (const line of kinds) byGroup.set(line.group, [...(byGroup.get(line.group) ?? []), line]);
  // custom kinds are what people look for
  const rank = ([group, lines]: [string, KindLine[]]): string =>
    `${lines[0]?.custom ? 0 : group === "" ? 1 : group === "apps" ? 2 : 3}${group}`;
  for (const lines of byGroup.values()) lines.sort((a, b) => a.kind.localeCompare(b.kind));
  return [...byGroup].sort((a, b) => rank(a).localeCompare(rank(b)));
}

const cellHeight = 28;

function Table({
  table,
  resource,
  text,
}: {
  readonly table: TableAnswer;
  readonly resource: string;
  readonly text: string;
}): JSX.Element {
  const columns = table.columns.map((column, i) => ({ ...column, i })).filter(({ wide }) => !wide);
  const rows = text === "" ? table.rows : table.rows.filter(({ name }) => name.includes(text));
  const hasNamespaces = rows.some(({ namespace }) => namespace !== "");
  const widths = `${hasNamespaces ? "minmax(80px, 0.6fr) " : ""}minmax(160px, 2fr) ${columns
    .slice(1)
    .map(() => "minmax(60px, 1fr)")
    .join(" ")}`;
  if (rows.length === 0) {
    const plural = resource.split("/").at(-1) ?? resource;
    return (
      <Empty title={text === "" ? `The server has no ${plural} here` : `No name contains “${text}”`}>
        {text === "" ? "They appear when somebody creates one. Another kind or namespace may have some." : undefined}
      </Empty>
    );
  }
  return (
    <div class="table">
      <div class="table-row head" style={{ gridTemplateColumns: widths }}>
        {hasNamespaces && <span>Namespace</span>}
        {columns.map(({ name, about }) => (
          <span key={name} title={about}>
            {name}
          </span>
        ))}
      </div>
      <VirtualList
        total={rows.length}
        rowHeight={cellHeight}
        label={`${rows.length} objects`}
        row={(i) => {
          const one = rows[i];
          if (one === undefined) return <div key={i} role="listitem" />;
          return (
            <div
              key={keyOf(one)}
              class="table-row"
              role="listitem"
              style={{ gridTemplateColumns: widths, height: `${cellHeight}px` }}
            >
              {hasNamespaces && <span class="soft">{one.namespace}</span>}
              {columns.map(({ name, i: at }, place) =>
                place === 0 ? (
                  <a key={name} href={href("why", { resource, namespace: one.namespace, name: one.name })}>
                    {one.name}
                  </a>
                ) : (
                  <span key={name} title={String(one.cells[at] ?? "")}>
                    {String(one.cells[at] ?? "")}
                  </span>
                ),
              )}
            </div>
          );
        }}
      />
      {table.more > 0 && <p class="note">and {table.more} more, which are not shown</p>}
    </div>
  );
}

function Events({ watched, at }: { readonly watched: Watched; readonly at: string }): JSX.Element {
  const now = useClock();
  let all = 0;
  for (const line of watched.controllers.values()) all += line.runs;
  const { answer, problem } = useAsk<readonly EventLine[]>(
    at === "" ? "events" : `events?at=${at}`,
    at === "" ? `${all} ${Math.floor(now / 3_000)}` : 0,
  );
  if (answer === undefined) return problem === undefined ? <p class="loading" /> : <Problem text={problem} />;
  if (answer.length === 0)
    return <Empty title="No event is remembered">The server keeps events for a while; controllers write them.</Empty>;
  return (
    <>
      {problem !== undefined && <Problem text={problem} />}
      <ol class="event-list">
        {answer.map((event, i) => (
          <li key={i}>
            <time>{ago(event.at, now)}</time>
            <a
              href={href("why", {
                kind: event.about.kind,
                resource: event.about.resource,
                namespace: event.about.namespace,
                name: event.about.name,
              })}
            >
              <span class="soft">{event.about.kind}</span> {keyOf(event.about)}
            </a>
            <Happened event={event} />
          </li>
        ))}
      </ol>
    </>
  );
}
