import { beforeAll, describe, expect, test } from "vitest";
import { hasRealCluster, realCluster } from "../../../src/testing/shared-envtest.js";
import { apiRequester } from "../api-request.js";
import { differences } from "./differential.js";
import { coreCases } from "./core-cases.js";
import { networkCases } from "./network-cases.js";
import { podCases } from "./pod-cases.js";
import { policyCases } from "./policy-cases.js";
import { workloadCases } from "./workload-cases.js";

const all = [...podCases, ...workloadCases, ...coreCases, ...networkCases, ...policyCases];

describe.skipIf(!hasRealCluster())(
  "defaults and validation, as the real server (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    const namespace = "kinds-conformance";

    beforeAll(async () => {
      using send = apiRequester(await realCluster());
      await send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    });

    for (const cases of all) {
      const count = Object.keys({ ...cases.create }).length + Object.keys({ ...cases.update }).length;
      test(`${cases.apiVersion} ${cases.kind}: ${count} cases`, { timeout: 60_000 }, async () => {
        using send = apiRequester(await realCluster());
        expect(await differences(send, namespace, cases)).toEqual([]);
      });
    }
  },
);
