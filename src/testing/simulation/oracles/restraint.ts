/** Oracles of restraint: others' belongings stay as they are, and an operator that is done keeps still. Pure. */
import type { Oracle } from "../oracle.js";
import { describeEntry, type Entry } from "../record.js";

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
