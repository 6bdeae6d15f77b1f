/** The moments that one can look back to: takes the journal's entries, gives revisions with the times of their writes. Pure. */
import { compareRevisions, isRevision } from "../../api/index.js";
import type { JournalEntry } from "../../controller/index.js";
import type { MomentLine } from "../wire.js";

/** Servers forget older revisions, as etcd is compacted by default. */
const rememberedMs = 300_000;
const mostMoments = 400;

/** The oldest first, in the order of revisions; evenly thinned out if there are too many for a slider. */
export function momentsOf(entries: readonly JournalEntry[], now: number): readonly MomentLine[] {
  const at = new Map<string, number>();
  for (const { startedAt, writes } of entries) {
    if (startedAt < now - rememberedMs) continue;
    for (const { revision, outcome, at: time } of writes)
      if (outcome === "done" && isRevision(revision)) at.set(revision, time);
  }
  const sorted = Array.from(at, ([revision, time]) => ({ revision, at: time })).sort((a, b) =>
    compareRevisions(a.revision, b.revision),
  );
  const stride = Math.ceil(sorted.length / mostMoments);
  return sorted.filter((_, i) => (sorted.length - 1 - i) % stride === 0);
}
