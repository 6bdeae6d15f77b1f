import { beforeAll, describe, expect, test } from "vitest";
import { hasRealCluster, realCluster } from "../../../src/testing/shared-envtest.js";
import { apiRequester } from "../api-request.js";
import { allCases } from "./cases/all-cases.js";
import { differences } from "./differential.js";

describe.skipIf(!hasRealCluster())(
  "defaults and validation, as the real server (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    const namespace = "kinds-conformance";

    beforeAll(async () => {
      using send = apiRequester(await realCluster());
      await send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    });

    for (const cases of allCases) {
      const count = Object.keys({ ...cases.create }).length + Object.keys({ ...cases.update }).length;
      test(`${cases.apiVersion} ${cases.kind}: ${count} cases`, async () => {
        using send = apiRequester(await realCluster());
        expect(await differences(send, namespace, cases)).toEqual([]);
      });
    }
  },
);
