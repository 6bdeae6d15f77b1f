import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../../../src/base/index.js";
import { startApiServer } from "../../../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../../../src/testing/shared-envtest.js";
import { ourSender, realSender, type Send } from "../../differential/exchange.js";
import { allCases } from "../cases/all-cases.js";
import { extraKinds } from "./kinds.js";
import { differencesOf, sampled, trialsOf } from "./trials.js";

/** The same ones in every run; with COXSWAIN_FULL many more. */
const trialsPerKind = process.env["COXSWAIN_FULL"] === "1" ? 600 : 60;

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

    for (const cases of [...allCases.filter((one) => one.name === undefined), ...extraKinds]) {
      test(`${cases.apiVersion} ${cases.kind}`, async () => {
        await using server = await startApiServer({
          disabledAdmission: ["ServiceAccount"],
          serviceNetwork: { cidr: "10.0.0.0/16" },
        });
        const ours = ourSender(server);
        await ours(namespace);
        const trials = sampled(trialsOf(cases, name), trialsPerKind, seededRandom(cases.kind));
        expect(await differencesOf({ real, ours, namespace: name }, cases, trials)).toEqual({});
      });
    }
  },
);
