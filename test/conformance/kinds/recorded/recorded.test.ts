import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { allCases } from "../cases/all-cases.js";
import { changedObject, ourCreate, type Cases } from "../differential.js";

/**
 * The validation errors of every case, as they were when the same cases were compared with a real server: they show a
 * change even where no real server is available. After an intended change, compare (kinds.test.ts), then update with
 * `vitest -u`.
 */
function verdicts(cases: Cases): string {
  const { apiVersion, kind, clusterWide = false } = cases;
  const base = { apiVersion, kind, ...changedObject(cases.base, {}) } as Record<string, unknown>;
  base["metadata"] = { name: "recorded", ...(clusterWide ? {} : { namespace: "a" }), ...(base["metadata"] as object) };
  const lines = Object.entries({ "as it is": {}, ...cases.create }).flatMap(([which, change]) => {
    const verdict = ourCreate(cases, changedObject(base, change));
    if ("causes" in verdict) return [`## ${which}`, ...verdict.causes];
    const hash = createHash("sha256").update(JSON.stringify(verdict.object)).digest("hex").slice(0, 12);
    return [`## ${which}`, `accepted, object ${hash}`];
  });
  return `${lines.join("\n")}\n`;
}

test("the verdicts on all cases are those recorded", async () => {
  const all = allCases.map(
    (cases) =>
      `# ${cases.apiVersion} ${cases.kind}${cases.name === undefined ? "" : `, ${cases.name}`}\n\n${verdicts(cases)}`,
  );
  await expect(all.join("\n")).toMatchFileSnapshot("verdicts.txt");
});
