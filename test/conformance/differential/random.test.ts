import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../src/base/index.js";
import { startTestServer } from "../../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../../src/testing/shared-envtest.js";
import { normalized, ourSender, realSender, type Send } from "./exchange.js";
import { type RandomStep, randomSteps } from "./random.js";

/** More than 10,000 requests in the full run. */
const rounds = Number(process.env["DIFFERENTIAL_ROUNDS"] ?? (process.env["COXSWAIN_FULL"] === "1" ? 67 : 2));
const stepsPerRound = 150;

/** The body with the version that this server has now. */
async function versioned(step: RandomStep, send: Send): Promise<RandomStep> {
  if (step.withCurrentVersion !== true) return step;
  const { status, body } = await send({ name: "", method: "GET", path: step.path });
  if (status !== 200) return step;
  const { resourceVersion } = (body as { metadata: { resourceVersion: string } }).metadata;
  const sent = step.body as { metadata: object };
  return { ...step, body: { ...sent, metadata: { ...sent.metadata, resourceVersion } } };
}

/**
 * Without what the machine's speed decides: the time of a deletion, and how much of a shortened grace is left by then.
 * Go prints the difference between two pods or templates in its own form.
 */
const wordless = (text: string): string =>
  text
    .replace(/(pod updates may not change fields other than)(?:[^"\\]|\\.)*/g, "$1 …")
    .replace(/Invalid value: \{(?:[^"\\]|\\.)*?\}: field is immutable/g, "Invalid value: …: field is immutable")
    .replace(/"deletionGracePeriodSeconds":[1-9]\d*/g, '"deletionGracePeriodSeconds":<some>')
    .replace(/"deletionTimestamp":"<time>"/g, "");

describe.skipIf(!hasRealCluster())("lives made up by chance (skipped where KUBEBUILDER_ASSETS is not set)", () => {
  for (let round = 0; round < rounds; round++) {
    const seed = `lives ${round}`;
    test(`are the same on a real server, seed ${JSON.stringify(seed)}`, async () => {
      using real = realSender(await realCluster());
      await using server = await startTestServer({
        disabledAdmission: ["ServiceAccount"],
        serviceNetwork: { cidr: "10.0.0.0/16" },
      });
      const ours = ourSender(server);
      const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: `diff-random-${round}` } };
      for (const send of [real, ours])
        await send({ name: "", method: "POST", path: "/api/v1/namespaces", body: namespace });
      const history: string[] = [];
      for (const planned of randomSteps(seededRandom(seed), stepsPerRound)) {
        const step = { ...planned, path: planned.path.replace("diff-random", `diff-random-${round}`) };
        const [theirs, mine] = await Promise.all([
          real(await versioned(step, real)),
          ours(await versioned(step, ours)),
        ]);
        const [a, b] = [theirs, mine].map((answer) => wordless(JSON.stringify(normalized(answer))));
        history.push(`${step.name} → ${theirs.status}`);
        expect(b, history.join("\n")).toBe(a);
      }
    });
  }
});
