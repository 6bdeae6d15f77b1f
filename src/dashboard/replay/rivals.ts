/** Names the other controllers of this process that write the fields over which a key loops, by the journal. Pure. */
import type { JournalEntry, KeyRow } from "../../controller/index.js";

/**
 * A controller that reads the owners of a field before it writes may see itself, because its rival writes at the same
 * moment; the journal has the writes of both.
 */
export function withRivals(
  rows: readonly KeyRow[],
  controller: string,
  entries: readonly JournalEntry[],
): readonly KeyRow[] {
  return rows.map((row) => {
    const { loop } = row;
    if (loop === undefined || loop.why !== "another writer undoes its writes" || loop.writers.length > 1) return row;
    const rivals = new Set<string>();
    for (const entry of entries) {
      const writesIt = entry.writes.some(
        ({ kind, key, fields, outcome }) =>
          outcome === "done" && `${kind} ${key}` === loop.object && fields.some((field) => loop.fields.includes(field)),
      );
      if (writesIt && entry.controller !== controller) rivals.add(entry.controller);
    }
    return rivals.size === 0 ? row : { ...row, loop: { ...loop, writers: [...loop.writers, ...rivals] } };
  });
}
