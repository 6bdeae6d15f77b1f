import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/index.js";
import { seededRandom } from "../../../../src/base/index.js";
import { startApiServer } from "../../../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../../../src/testing/shared-envtest.js";
import { ourSender, realSender, type Send } from "../../differential/exchange.js";
import { allCases } from "../cases/all-cases.js";
import { extraKinds } from "./kinds.js";
import { differencesOf, sampled, trialsOf } from "./trials.js";

/** The same ones in every run; with COXSWAIN_FULL most of them. */
const trialsPerKind = process.env["COXSWAIN_FULL"] === "1" ? 1_200 : 60;

describe.skipIf(!hasRealCluster())(
  "generated objects of every kind, as the real server judges them (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    const namespace = "kinds-generated";
    let server: ApiServer;
    let real: Send & Disposable;
    let ours: Send;

    beforeAll(async () => {
      real = realSender(await realCluster());
      server = await startApiServer({ disabledAdmission: ["ServiceAccount"], serviceNetwork: { cidr: "10.0.0.0/16" } });
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

    for (const cases of [...allCases.filter(({ name }) => name === undefined), ...extraKinds]) {
      test(`${cases.apiVersion} ${cases.kind}`, async () => {
        const trials = sampled(trialsOf(cases, namespace), trialsPerKind, seededRandom(cases.kind));
        expect(await differencesOf({ real, ours, namespace }, cases, trials)).toEqual({});
      });
    }
  },
);
