/** The causal chain of an object in the form that travels, and the revisions of the object that it shows. Pure. */
import { compareRevisions, isRevision } from "../../api/meta/revision.js";
import { defined } from "../../base/defined.js";
import type { CausalChain, JournalEntry } from "../../controller/index.js";
import type { Chain, ObjectLink, Revision } from "../wire.js";

export function chainAnswer({ runs, links }: CausalChain): Chain {
  return {
    runs: runs.map((run) => ({ ...run, id: idOf(run) })),
    links: links.map(({ from, to, how, kind, key, revision }) => {
      return { to: idOf(to), how, kind, key, revision, ...defined({ from: from && idOf(from) }) };
    }),
  };
}

const idOf = ({ controller, run, result }: JournalEntry): string =>
  `${controller}#${run}${result.type === "overdue" ? "…" : ""}`;

/** The changes of the object that runs heard of or wrote, each with its writer if that is known; the newest first. */
export function revisionsOf({ runs }: Chain, { kind, namespace, name }: ObjectLink): Revision[] {
  const key = namespace === "" ? name : `${namespace}/${name}`;
  const isIt = (one: { readonly kind?: string; readonly key?: string; readonly revision?: string }): boolean =>
    one.kind === kind && one.key === key && isRevision(one.revision);
  const found = new Map<string, Revision>();
  for (const { reasons, startedAt, waitedMs } of runs) {
    for (const { revision = "", fields = [] } of reasons.filter(isIt)) {
      const [known, at] = [found.get(revision), startedAt - waitedMs];
      const told = known?.fields.length ? known.fields : fields;
      found.set(revision, { revision, at: Math.min(at, known?.at ?? at), fields: told, writer: "" });
    }
  }
  for (const { controller, run, writes } of runs) {
    for (const { revision, fields, at } of writes.filter((write) => write.outcome === "done" && isIt(write))) {
      found.set(revision, { revision, at, fields, writer: controller, run });
    }
  }
  return [...found.values()].sort((a, b) => compareRevisions(b.revision, a.revision));
}
