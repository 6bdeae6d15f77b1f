/** The oracles that fit every operator: it converges, ends where it should, rests there, and harms nobody. Pure. */
import { differences } from "../end-state.js";
import { type History, isOperatorWrite } from "../history.js";
import { describeEntry, type Entry, type Target } from "../record.js";
import type { Oracle } from "../oracle.js";

const isRequest = (entry: Entry): entry is Extract<Entry, { type: "request" }> => entry.type === "request";

/** After the last fault the operator comes to rest. */
export const converges: Oracle = {
  name: "converges",
  judge: ({ history }) =>
    history.settled
      ? []
      : ["the operator still writes long after the last fault; its last writes:", ...lastWrites(history)],
};

function lastWrites({ entries }: History): readonly string[] {
  return entries.filter(isOperatorWrite).slice(-5).map(describeEntry);
}

/** The users of the scenario could do everything that they wanted to do. */
export const scenarioEnds: Oracle = {
  name: "scenario-ends",
  judge: ({ history: { scenarioError } }) =>
    scenarioError === undefined ? [] : [`the scenario failed: ${scenarioError}`],
};

/** The final state is that of the history without faults. */
export const sameEnd: Oracle = {
  name: "same-end",
  judge: ({ history, reference }) => (history === reference ? [] : differences(reference.end, history.end)),
};

/** An object that was changed ends as one that was made so. */
export const sameEitherWay: Oracle = {
  name: "same-either-way",
  judge: ({ history: { contradictions } }) => contradictions,
};

/** A new process that is started when all is at rest writes nothing. */
export const restsWhenDone: Oracle = {
  name: "rests-when-done",
  judge: ({ history: { settled, restWrites } }) =>
    !settled || restWrites.length === 0
      ? []
      : ["a process that was started when all was done wrote:", ...restWrites.slice(0, 5).map(describeEntry)],
};

/** No key is given up. */
export const noDeadLetter: Oracle = {
  name: "no-dead-letter",
  judge: ({ history }) => history.deadLetters.map((letter) => `given up: ${letter}`),
};

/** No key fails for ever. */
export const nothingFails: Oracle = {
  name: "nothing-fails",
  judge: ({ history }) => history.failing.map((key) => `fails again and again: ${key}`),
};

export const noHotLoop: Oracle = {
  name: "no-hot-loop",
  judge: ({ history }) => history.hotLoops.map((key) => `written without an end: ${key}`),
};

/** Processes end only when they are killed; or to hand over, if they elect a leader. */
export const staysAlive: Oracle = {
  name: "stays-alive",
  judge: ({ history: { exits, facts, struck } }) =>
    facts.hasLeases && struck.length > 0
      ? []
      : exits.map((why) => `a process of the operator ended by itself: ${why}`).slice(0, 3),
};

/** The operator writes to no kind of object that it leaves alone in the history without faults. */
export const touchesNobodyElse: Oracle = {
  name: "touches-nobody-else",
  judge({ history, reference }) {
    if (history === reference) return [];
    const usual = new Set(
      reference.entries
        .filter(isOperatorWrite)
        .filter(isRequest)
        .map(({ target }) => resourceOf(target)),
    );
    const foreign = history.entries
      .filter(isOperatorWrite)
      .filter(isRequest)
      .filter(({ target }) => !usual.has(resourceOf(target)));
    return foreign
      .slice(0, 5)
      .map((entry) => `a kind of object that the operator otherwise leaves alone: ${describeEntry(entry)}`);
  },
};

const resourceOf = ({ resource }: Target): string => resource;

/** Each fault, and each deletion by others, costs a bounded number of writes. */
export const boundedWrites: Oracle = {
  name: "bounded-writes",
  judge({ history, reference }) {
    if (history === reference) return [];
    const count = (one: History): number => one.entries.filter(isOperatorWrite).length;
    const usual = count(reference);
    const bound = (usual + 10) * (2 + 2 * history.struck.length) + 2 * deletionsByOthers(history);
    const actual = count(history);
    return actual <= bound
      ? []
      : [`${actual} writes, where the history without faults has ${usual}`, ...lastWrites(history)];
  },
};

/**
 * The number of deletions that the operator saw and did not ask for. An operator whose view of an owner is old makes the
 * children of an owner that is gone as often as the garbage collector deletes them.
 */
function deletionsByOthers({ entries }: History): number {
  const seen = new Set<string>();
  let asked = 0;
  for (const entry of entries) {
    if (entry.type === "event" && entry.event === "DELETED")
      seen.add(`${entry.resource} ${entry.key} ${entry.revision}`);
    if (isOperatorWrite(entry) && entry.type === "request" && entry.target.verb === "delete") asked += 1;
  }
  return Math.max(0, seen.size - asked);
}

/** No object has an owner that is gone. */
export const noOrphans: Oracle = {
  name: "no-orphans",
  judge: ({ history: { end } }) => {
    const orphans: string[] = [];
    for (const [place, form] of end) {
      const { metadata } = form as {
        readonly metadata?: {
          readonly ownerReferences?: readonly {
            readonly uid?: string;
            readonly kind?: string;
            readonly name?: string;
          }[];
        };
      };
      for (const { uid = "", kind = "", name = "" } of metadata?.ownerReferences ?? [])
        if (!uid.startsWith("<uid of ")) orphans.push(`${place}: its owner ${kind} ${name} is gone`);
    }
    return orphans;
  },
};
