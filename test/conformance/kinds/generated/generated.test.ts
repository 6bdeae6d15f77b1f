import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../../../src/base/index.js";
import { startTestServer } from "../../../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../../../src/testing/shared-envtest.js";
import { ourSender, realSender, type Send } from "../../differential/exchange.js";
import { allCases } from "../cases/all-cases.js";
import { extraKinds } from "./kinds.js";
import { differencesOf, patchTrialsOf, sampled, trialsOf } from "./trials.js";

/** The same ones in every run; with COXSWAIN_FULL many more. */
const full = process.env["COXSWAIN_FULL"] === "1";
const trialsPerKind = full ? 400 : 60;
const patchesPerKind = full ? 150 : 0;

describe.skipIf(!hasRealCluster())(
  "generated objects of every kind, as the real server judges them (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    const name = "kinds-generated";
    const namespace = { name: "namespace", method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } };
    let real: Send & Disposable;

    beforeAll(async () => {
      real = realSender(await realCluster());
      await real(namespace);
    });
    afterAll(() => real[Symbol.dispose]());

    const kinds = [...allCases.filter((one) => one.name === undefined), ...extraKinds];

    test.each(kinds)("$apiVersion $kind", async (cases) => {
      await using server = await startTestServer({
        disabledAdmission: ["ServiceAccount"],
        serviceNetwork: { cidr: "10.0.0.0/16" },
      });
      const ours = ourSender(server);
      await ours(namespace);
      const trials = [
        ...sampled(trialsOf(cases, name), trialsPerKind, seededRandom(cases.kind)),
        ...sampled(patchTrialsOf(cases, name), patchesPerKind, seededRandom(cases.kind)),
      ];
      expect(await differencesOf({ real, ours, namespace: name }, cases, trials)).toEqual({});
    });
  },
);
