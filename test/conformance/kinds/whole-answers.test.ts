import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiServer } from "../../../src/apiserver/index.js";
import { startTestServer } from "../../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../../src/testing/shared-envtest.js";
import { ourSender, realSender, type Send } from "../differential/exchange.js";
import { allCases } from "./cases/all-cases.js";
import { statusCases } from "./cases/status-cases.js";
import { answersThatDiffer } from "./whole-answers.js";

describe.skipIf(!hasRealCluster())(
  "whole answers to valid and invalid objects, as the real server (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    const namespace = "whole-answers";
    let server: ApiServer;
    let real: Send & Disposable;
    let ours: Send;

    beforeAll(async () => {
      real = realSender(await realCluster());
      server = await startTestServer({
        disabledAdmission: ["ServiceAccount"],
        serviceNetwork: { cidr: "10.0.0.0/16" },
      });
      ours = ourSender(server);
      for (const send of [real, ours]) {
        const body = { metadata: { name: namespace } };
        await send({ name: "namespace", method: "POST", path: "/api/v1/namespaces", body });
      }
    });
    afterAll(async () => {
      real[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    });

    for (const cases of [...allCases, ...statusCases(allCases)]) {
      test(`${cases.apiVersion} ${cases.name ?? cases.kind}`, async () => {
        expect(await answersThatDiffer(real, ours, namespace, cases)).toEqual({});
      });
    }
  },
);
