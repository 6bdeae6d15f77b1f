/** Oracles of restraint: others' belongings stay as they are, and an operator that is done keeps still. Pure. */
import type { Oracle } from "../oracle.js";
import { describeEntry, type Entry, killedOutcome } from "../record.js";

/** Objects and annotations of other users stay as they were left. */
export const harmsNobody: Oracle = {
  name: "harms-nobody",
  judge: ({ history }) => history.harm,
};

const windowMs = 10_000;
const mostRequests = 40;

const isWriteRequest = (entry: Entry): boolean =>
  entry.type === "request" && entry.write !== undefined && entry.actor.startsWith("operator-");

/** An operator that is done does not send writes all the time, not even ones that change nothing. */
export const keepsStill: Oracle = {
  name: "keeps-still",
  judge({ history: { entries, endMs } }) {
    const late = entries.filter(
      (entry) => entry.atMs > endMs - windowMs && entry.atMs <= endMs && isWriteRequest(entry),
    );
    return late.length <= mostRequests
      ? []
      : [
          `${late.length} writes in the last ${windowMs / 1000} seconds, when all was done:`,
          ...late.slice(-3).map(describeEntry),
        ];
  },
};

/** The tries of a usual backoff, from some milliseconds on, within the window; with room to spare. */
const mostTries = 40;

type RequestEntry = Extract<Entry, { readonly type: "request" }>;

const isFailure = (entry: Entry): entry is RequestEntry =>
  isWriteRequest(entry) &&
  entry.type === "request" &&
  (typeof entry.outcome === "number" ? entry.outcome >= 400 : entry.outcome !== killedOutcome);

const addressOf = ({ actor, target }: RequestEntry): string =>
  [actor, target.verb, target.resource, target.subresource, target.namespace, target.name].join(" ");

/** A write that fails is tried again after a while, and then after a longer one. */
export const backsOff: Oracle = {
  name: "backs-off",
  judge({ history, reference }) {
    const usual = new Map<string, number>();
    for (const entry of reference.entries)
      if (isWriteRequest(entry) && entry.type === "request")
        usual.set(addressOf(entry), (usual.get(addressOf(entry)) ?? 0) + 1);
    const failures = new Map<string, RequestEntry[]>();
    for (const entry of history.entries) {
      if (!isFailure(entry)) continue;
      const address = addressOf(entry);
      // new objects have no name yet, so that several may share an address
      const most = mostTries * Math.max(1, usual.get(address) ?? 1);
      const recent = failures.get(address) ?? [];
      failures.set(address, recent);
      recent.push(entry);
      while ((recent[0]?.atMs ?? entry.atMs) <= entry.atMs - windowMs) recent.shift();
      if (recent.length > most)
        return [
          `a write that fails is sent again without a pause: more than ${most} times within ${windowMs / 1000} seconds`,
          ...recent.slice(-3).map(describeEntry),
        ];
    }
    return [];
  },
};

/** Kinds whose objects hold what nobody can make again. */
const holdData = new Set(["persistentvolumeclaims", "persistentvolumes"]);

/** How often the operator deleted each object that holds data. */
function deletedData(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    if (!isWriteRequest(entry) || entry.type !== "request" || !entry.changed) continue;
    const { verb, resource, namespace, name } = entry.target;
    const place = `${resource} ${namespace === "" ? name : `${namespace}/${name}`}`;
    if (verb === "delete" && holdData.has(resource)) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return counts;
}

/**
 * The operator deletes no volume or claim that it keeps in the history without faults, unless other users changed what is
 * asked for: an object that is made again under the same name ends alike, and is empty.
 */
export const keepsData: Oracle = {
  name: "keeps-data",
  judge({ history: { entries }, reference }) {
    if (entries.some((entry) => entry.type === "request" && entry.actor === "somebody")) return [];
    const usual = deletedData(reference.entries);
    return Array.from(deletedData(entries))
      .filter(([place, count]) => count > (usual.get(place) ?? 0))
      .map(([place, count]) => `${place}: deleted ${count} times, and ${usual.get(place) ?? 0} times without faults`);
  },
};
