import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/index.js";
import { seededRandom } from "../../../../src/base/index.js";
import { startTestServer } from "../../../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../../../src/testing/shared-envtest.js";
import { ourSender, realSender, type Send } from "../../differential/exchange.js";
import { isKnownReview } from "./known.js";
import { reviewNamespace, reviews, reviewTrials } from "./reviews.js";
import { Pair, sampled } from "./trials.js";

const full = process.env["COXSWAIN_FULL"] === "1";

describe.skipIf(!hasRealCluster())(
  "generated reviews, as the real server judges them (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    let server: ApiServer;
    let real: Send & Disposable;
    let ours: Send;

    beforeAll(async () => {
      real = realSender(await realCluster());
      server = await startTestServer({ authorization: "RBAC" });
      ours = ourSender(server);
      const namespaces = "/api/v1/namespaces";
      for (const [path, name] of [
        [namespaces, reviewNamespace],
        [`${namespaces}/${reviewNamespace}/serviceaccounts`, "asker"],
      ] as const) {
        for (const send of [real, ours]) await send({ name, method: "POST", path, body: { metadata: { name } } });
      }
    });
    afterAll(async () => {
      real[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    });

    test.each(reviews)("$kind", async (review) => {
      const pair = new Pair([real, ours], { collection: review.path, one: review.path });
      const trials = reviewTrials(review).filter((trial) => !isKnownReview(trial));
      const found: Record<string, unknown> = {};
      for (const trial of sampled(trials, full ? 2_000 : 100, seededRandom(review.kind))) {
        const patience = Object.keys(found).length < 5 ? 45_000 : 0;
        const difference = await pair.difference(trial, patience);
        if (difference !== undefined) found[`${trial.steps.join(".")} = ${JSON.stringify(trial.value)}`] = difference;
      }
      expect(found).toEqual({});
    });
  },
);
