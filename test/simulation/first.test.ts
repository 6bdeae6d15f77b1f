import { expect, test } from "vitest";
import { ConfigMap, newControllerRef, Secret } from "../../src/api/index.js";
import { Manager } from "../../src/manager/index.js";
import { simulate } from "../../src/testing/simulation/index.js";

test("an operator that answers each ConfigMap with a Secret", async () => {
  const began = performance.now();
  const report = await simulate({
    seeds: 50,
    async operator({ client, clock, random }) {
      const manager = await Manager.create({ client, clock, random });
      manager.controller({
        name: "copies",
        for: ConfigMap,
        owns: [Secret],
        async reconcile({ object, client: writer }) {
          const { name, namespace = "" } = object.metadata;
          await writer.apply({
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name, namespace, ownerReferences: [newControllerRef(object)] },
            stringData: object.data ?? {},
          });
        },
      });
      return manager;
    },
    async scenario({ client, sleep }) {
      const maps = client.resource(ConfigMap, { namespace: "default" });
      await maps.create({ metadata: { name: "a" }, data: { key: "1" } });
      await sleep(1_000);
      await maps.create({ metadata: { name: "b" }, data: { key: "2" } });
      await maps.patch("a", { merge: { data: { key: "3" } } });
    },
  });
  console.log(report.histories, report.coverage, report.virtualMs / 1000, performance.now() - began);
  for (const failure of report.failures) console.log(failure.story);
  expect(report.failures).toEqual([]);
}, 60_000);
