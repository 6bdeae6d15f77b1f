/** The informers of a recording's replicas at a moment: takes the story up to it, gives a lane for each kind that a replica has seen. Pure. */
import type { JournalEntry } from "../../../src/controller/index.js";
import type { Lane } from "../../../src/dashboard/wire.js";
import type { StoryLine } from "./recording.js";

interface Counted {
  readonly actor: string;
  readonly resource: string;
  kind: string;
  lists: number;
  watches: number;
  failures: number;
  events: number;
  revision: string;
  lastEventAt: number | undefined;
  readonly keys: Set<string>;
}

export function lanesAt(story: readonly StoryLine[], runs: readonly JournalEntry[]): ReadonlyMap<string, Lane> {
  const lanes = new Map<string, Counted>();
  for (const line of story) count(lanes, line);
  const replicas = new Set(Array.from(lanes.values(), ({ actor }) => actor));
  const shown = [...lanes.values()].filter(({ kind }) => kind !== "");
  return new Map(
    shown.map((one): [string, Lane] => {
      const lane = laneOf(one, replicas.size > 1, runs);
      return [lane.id, lane];
    }),
  );
}

function count(lanes: Map<string, Counted>, { actor, seen, asked, moment }: StoryLine): void {
  const resource = seen?.resource ?? asked?.resource;
  if (resource === undefined || !actor.startsWith("operator")) return;
  const id = `${actor}:${resource}`;
  const lane = lanes.get(id) ?? {
    actor,
    resource,
    kind: "",
    lists: 0,
    watches: 0,
    failures: 0,
    events: 0,
    revision: "",
    lastEventAt: undefined,
    keys: new Set<string>(),
  };
  lanes.set(id, lane);
  if (asked !== undefined) {
    lane[asked.verb === "list" ? "lists" : "watches"] += 1;
    if (asked.failed) lane.failures += 1;
  }
  if (seen === undefined) return;
  lane.kind = seen.kind || lane.kind;
  lane.events += 1;
  lane.revision = seen.revision || lane.revision;
  lane.lastEventAt = moment.at;
  if (seen.event === "DELETED") lane.keys.delete(seen.key);
  else if (seen.event !== "BOOKMARK") lane.keys.add(seen.key);
}

function laneOf(
  { actor, resource, kind, lists, watches, failures, events, revision, lastEventAt, keys }: Counted,
  isOneOfMany: boolean,
  runs: readonly JournalEntry[],
): Lane {
  const woken = runs.filter(({ reasons }) => reasons.some((reason) => reason.kind === kind));
  const own = woken.filter(({ controller }) => !isOneOfMany || controller.endsWith(` of ${actor}`));
  const names = [...new Set(own.map(({ controller }) => controller))];
  return {
    id: isOneOfMany ? `${actor}:${resource}` : resource,
    cluster: isOneOfMany ? actor : "",
    kind,
    resource,
    scope: "",
    phase: "follow",
    hasSynced: true,
    revision,
    storeRevision: revision,
    lists,
    watches,
    events,
    failures,
    ...(lastEventAt !== undefined && { lastEventAt }),
    queued: 0,
    objects: keys.size,
    bytes: 0,
    indices: [],
    listeners: names.map((name) => ({ name, pending: 0, hasSynced: true, failures: 0 })),
  };
}
