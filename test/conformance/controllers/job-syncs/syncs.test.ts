/**
 * Random single syncs of a Job, compared with the Job controller of kube-controller-manager 1.36.3. Its answers are
 * recorded. With JOB_TEACHER set to the program (teacher.go says how to build it), it is asked again, for as many syncs
 * as JOB_SYNCS says.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { jobSync } from "./cases.js";
import { type JobSyncResult, playSync } from "./play.js";

const recordedFile = new URL("./recorded.jsonl", import.meta.url);
const teacher = process.env["JOB_TEACHER"];
const asked = Number(process.env["JOB_SYNCS"] ?? 250);
const numbers = Array.from({ length: asked }, (_, number) => number);

/** Lists without an order are sorted; an end needs no second look, and a failure has its own. */
function comparable({ writes, later, ...rest }: JobSyncResult): unknown {
  const text = JSON.stringify(writes ?? []);
  const ends = text.includes('"SuccessCriteriaMet"') || text.includes('"FailureTarget"');
  const waits = (later ?? []).filter((ms) => ms > 0);
  const next = rest.error || ends || waits.length === 0 ? [] : [Math.min(...waits)];
  const lists = Object.entries(rest).filter(([key]) => key !== "name" && key !== "error");
  return {
    error: rest.error,
    ...Object.fromEntries(lists.map(([key, list]) => [key, list ?? []])),
    writes: (JSON.parse(text) as readonly Status[]).map(sorted),
    later: next,
  };
}

interface Status {
  readonly uncountedTerminatedPods?: Readonly<Record<string, readonly string[]>>;
}

function sorted(status: Status): unknown {
  const { uncountedTerminatedPods: uncounted = {} } = status;
  const lists = Object.entries(uncounted).map(([key, uids]) => [key, uids.toSorted()]);
  return { ...status, uncountedTerminatedPods: Object.fromEntries(lists) };
}

function recorded(): readonly unknown[] {
  if (teacher === undefined) return linesOf(readFileSync(recordedFile, "utf8"));
  const input = numbers.map((number) => `${JSON.stringify(jobSync(number))}\n`).join("");
  const ask = (): readonly unknown[] => {
    const answers = linesOf(execFileSync(teacher, { input, maxBuffer: 2 ** 30, stdio: "pipe" }).toString());
    return answers.map((answer) => comparable(answer as JobSyncResult));
  };
  const [first, again] = [ask(), ask()];
  // an answer that depends on the order in which the controller happens to see pods is left out
  const sure = first.map((answer, i) => (JSON.stringify(answer) === JSON.stringify(again[i]) ? answer : null));
  if (process.env["UPDATE"] === "1") {
    writeFileSync(recordedFile, sure.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
  }
  return sure;
}

const linesOf = (text: string): readonly unknown[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test(`the real controller's ${numbers.length} syncs write the same statuses, pods and events with ours`, async () => {
  const answers = recorded();
  const differing: unknown[] = [];
  for (const number of numbers) {
    const real = answers[number];
    if (real === null) continue;
    const ours: unknown = JSON.parse(JSON.stringify(comparable(await playSync(jobSync(number)))));
    try {
      expect(ours).toEqual(real);
    } catch {
      differing.push({ number, ours, real });
    }
  }
  expect(differing).toEqual([]);
});
