import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/index.js";
import { seededRandom } from "../../../../src/base/index.js";
import { startTestServer } from "../../../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../../../src/testing/shared-envtest.js";
import { eventually } from "../../../eventually.js";
import { ourSender, realSender, type Send } from "../../differential/exchange.js";
import { customDefinition, customGroup, customTrials } from "./custom.js";
import { isKnownCustom } from "./known.js";
import { Pair, sampled } from "./trials.js";

const full = process.env["COXSWAIN_FULL"] === "1";

describe.skipIf(!hasRealCluster())(
  "generated objects of a custom kind, as the real server judges them (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    const namespace = "custom-generated";
    const collection = `/apis/${customGroup}/v1/namespaces/${namespace}/samples`;
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const definition = `${definitions}/samples.${customGroup}`;
    let server: ApiServer;
    let real: Send & Disposable;
    let ours: Send;

    beforeAll(async () => {
      real = realSender(await realCluster());
      server = await startTestServer({ disabledAdmission: ["ServiceAccount"] });
      ours = ourSender(server);
      for (const send of [real, ours]) {
        const body = { metadata: { name: namespace } };
        await send({ name: "namespace", method: "POST", path: "/api/v1/namespaces", body });
        await send({ name: "definition", method: "POST", path: definitions, body: customDefinition });
        const served = async (): Promise<boolean> =>
          (await send({ name: "list", method: "GET", path: collection })).status === 200;
        await eventually(`${collection} is served`, served);
      }
    });
    afterAll(async () => {
      await real({ name: "delete", method: "DELETE", path: definition });
      real[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    });

    test("answers are the same", async () => {
      const pair = new Pair([real, ours], { collection, one: `${collection}/a` });
      const trials = customTrials().filter((trial) => !isKnownCustom(trial));
      const found: Record<string, unknown> = {};
      for (const trial of sampled(trials, full ? 4_000 : 300, seededRandom("custom"))) {
        const patience = Object.keys(found).length < 5 ? 45_000 : 0;
        const difference = await pair.difference(trial, patience);
        if (difference !== undefined) found[`${trial.place} = ${JSON.stringify(trial.value)}`] = difference;
      }
      expect(found).toEqual({});
    });
  },
);
