import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiServer } from "../../../src/apiserver/index.js";
import { startTestServer } from "../../../src/testing/cluster.js";
import { type Envtest, envtestAssets, startEnvtest } from "../../../src/testing/envtest.js";
import { hasRealCluster } from "../../../src/testing/shared-envtest.js";
import { eventually, patienceMs } from "../../eventually.js";
import { statedCount } from "../stated.js";
import { limits, podSecurity, quotas, smallerPlugins } from "./scripts/access/admission.js";
import { basics } from "./scripts/basics.js";
import { creating } from "./scripts/access/creating.js";
import { certificates, tokens } from "./scripts/access/credentials.js";
import { escalation } from "./scripts/access/escalation.js";
import { acceptedDefinition, custom, definitions } from "./scripts/custom.js";
import { evictions } from "./scripts/evictions.js";
import { differences, ourSender, realSender, type Send } from "./exchange.js";
import { devices } from "./scripts/devices.js";
import { identities } from "./scripts/identities.js";
import { kinds } from "./scripts/kinds.js";
import { knownDifferences } from "./known.js";
import { bootstrapped, configuration, services } from "./scripts/machinery.js";
import { expressions, mutations, policies, unreachable } from "./scripts/access/policies.js";
import { permissions } from "./scripts/access/permissions.js";
import { numbers } from "./scripts/values/numbers.js";
import { forms, protocol } from "./scripts/protocol.js";
import { reading } from "./scripts/reading.js";
import { scales, subresources } from "./scripts/subresources.js";
import { autoscalers, events } from "./scripts/two-versions.js";

/** Makes the custom kind on both, and waits until both serve it. */
async function established(...senders: readonly Send[]): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  for (const send of senders) {
    await send({ name: "", method: "POST", path, body: acceptedDefinition });
    const served = { name: "", method: "GET", path: "/apis/diff.example.com/v1/widgets" };
    await eventually("the kind is served", async () => (await send(served)).status === 200);
  }
}

/** Ours come within milliseconds of the start; the real ones are there when it says that it is ready. */
async function systemObjectsMade(server: ApiServer): Promise<void> {
  await server.listen();
  const last = { collection: "rbac.authorization.k8s.io/rolebindings", prefix: "kube-system/", from: "" };
  await expect.poll(() => server.store.list(last).items.length, { timeout: patienceMs }).toBeGreaterThan(5);
}

const scripts = {
  // first, because it lists objects that other scripts add to
  bootstrapped,
  basics,
  reading,
  identities,
  kinds,
  subresources,
  evictions,
  definitions,
  custom,
  numbers,
  limits,
  quotas,
  podSecurity,
  smallerPlugins,
  services,
  configuration,
  protocol,
  forms,
  autoscalers,
  events,
  certificates,
  tokens,
  devices,
  scales,
  policies,
  mutations,
  unreachable,
  expressions,
  permissions,
  escalation,
  creating,
};

/** Scripts that need the roles and other objects that a server creates at its start. */
const withSystemObjects: readonly unknown[] = [bootstrapped, permissions, escalation, creating];

test("there are more requests than docs/compatibility.md states", () => {
  const counts = Object.values(scripts).map((script) => script().steps.length);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(statedCount("requests of scripts"));
});

describe.skipIf(!hasRealCluster())(
  "the embedded server beside a real one (skipped where KUBEBUILDER_ASSETS is not set)",
  { shuffle: false },
  () => {
    // of their own: lists of the whole cluster must not depend on other tests
    let cluster: Envtest;
    let real: Send & Disposable;
    beforeAll(async () => {
      cluster = await startEnvtest({ assets: envtestAssets() as string });
      real = realSender(cluster);
    });
    afterAll(async () => {
      real[Symbol.dispose]();
      await cluster[Symbol.asyncDispose]();
    });

    for (const [name, script] of Object.entries(scripts)) {
      test(`${name}: ${script().steps.length} requests have the same answers`, async () => {
        await using server = await startTestServer({
          disabledAdmission: ["ServiceAccount"],
          serviceNetwork: { cidr: "10.0.0.0/16" },
          systemObjects: withSystemObjects.includes(script),
        });
        if (withSystemObjects.includes(script)) await systemObjectsMade(server);
        if (script === custom || script === numbers || script === identities)
          await established(real, ourSender(server));
        const isKnown = (step: string): boolean => knownDifferences.some((known) => known.step.test(step));
        expect(await differences(script().steps, real, ourSender(server), isKnown)).toEqual({});
      });
    }
  },
);
