/** Finds which reconciles caused which: takes the entries of a journal and an object, gives its runs, their causes and their effects. Pure. */
import type { JournalEntry } from "./journal.js";

export interface CausalChain {
  /** By their start, the oldest first. */
  readonly runs: readonly JournalEntry[];
  readonly links: readonly CausalLink[];
}

/** A change of an object that woke a run. */
export interface CausalLink {
  /** The run that the change goes back to; undefined if no remembered run wrote or created the object. */
  readonly from: JournalEntry | undefined;
  /** `wrote`: that run wrote this very revision. `created`: it created the object, which somebody else has changed since. */
  readonly how: "wrote" | "created";
  readonly to: JournalEntry;
  readonly kind: string;
  readonly key: string;
  /** "" for a deletion whose revision is not known. */
  readonly revision: string;
}

export interface ChainTarget {
  readonly kind: string;
  readonly key: string;
  /** The controllers whose keys name objects of this kind. */
  readonly controllers: ReadonlySet<string>;
  /** The most runs that are given, those nearest to the object. */
  readonly limit: number;
}

/**
 * The runs of the object's key, the runs that it woke and the runs that wrote it; then, step by step, the runs that
 * caused those and the runs that they caused.
 */
export function causesOf(entries: readonly JournalEntry[], target: ChainTarget): CausalChain {
  const causes = new Map<JournalEntry, readonly CausalLink[]>();
  const effects = new Map<JournalEntry, JournalEntry[]>();
  const known = writersIn(entries);
  for (const entry of entries) {
    const links = linksTo(entry, known);
    causes.set(entry, links);
    for (const { from } of links) if (from !== undefined) effects.set(from, [...(effects.get(from) ?? []), entry]);
  }
  const reached = new Set(entries.filter((entry) => isAbout(entry, target)).slice(-target.limit));
  for (const entry of reached) {
    const next = [...(causes.get(entry) ?? []).flatMap(({ from }) => from ?? []), ...(effects.get(entry) ?? [])];
    for (const other of next) if (reached.size < target.limit) reached.add(other);
  }
  const runs = [...reached].sort((a, b) => a.startedAt - b.startedAt || a.run - b.run);
  const isKept = (from: JournalEntry | undefined): boolean => from !== undefined && reached.has(from);
  const links = runs.flatMap((run) => causes.get(run) ?? []);
  return { runs, links: links.map((link) => (isKept(link.from) ? link : { ...link, from: undefined })) };
}

interface Writers {
  /** The run that wrote a revision of an object. */
  readonly byChange: ReadonlyMap<string, JournalEntry>;
  /** The run that created an object. */
  readonly byObject: ReadonlyMap<string, JournalEntry>;
}

function writersIn(entries: readonly JournalEntry[]): Writers {
  const byChange = new Map<string, JournalEntry>();
  const byObject = new Map<string, JournalEntry>();
  for (const entry of entries) {
    for (const { verb, kind, key, revision, outcome } of entry.writes) {
      if (outcome !== "done" || revision === "") continue;
      byChange.set(changeId(kind, key, revision), entry);
      if (verb === "create") byObject.set(`${kind} ${key}`, entry);
    }
  }
  return { byChange, byObject };
}

function isAbout({ controller, key, reasons, writes }: JournalEntry, target: ChainTarget): boolean {
  const isTarget = (one: { readonly kind?: string; readonly key?: string }): boolean =>
    one.kind === target.kind && one.key === target.key;
  return (
    (key === target.key && target.controllers.has(controller)) ||
    reasons.some(isTarget) ||
    writes.some((write) => isTarget(write) && write.outcome === "done")
  );
}

function linksTo(to: JournalEntry, { byChange, byObject }: Writers): CausalLink[] {
  return to.reasons.flatMap(({ kind, key, revision = "" }): CausalLink[] => {
    if (kind === undefined || key === undefined) return [];
    const what = { to, kind, key, revision };
    const writer = byChange.get(changeId(kind, key, revision));
    if (writer !== undefined) return [{ ...what, from: writer, how: "wrote" }];
    const creator = byObject.get(`${kind} ${key}`);
    const isBefore = creator !== undefined && creator !== to && creator.startedAt <= to.startedAt;
    return [{ ...what, from: isBefore ? creator : undefined, how: "created" }];
  });
}

const changeId = (kind: string, key: string, revision: string): string => `${kind} ${key}@${revision}`;
