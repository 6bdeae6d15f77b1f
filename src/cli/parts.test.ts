import { expect, test } from "vitest";
import { Deployment, Job, Pod, StatefulSet } from "../api/index.js";
import { startApiServer } from "../apiserver/index.js";
import { createLogger, MetricsRegistry } from "../base/index.js";
import { builtInControllers, selectControllers } from "../builtin/index.js";
import { eventually } from "../../test/eventually.js";
import { startParts } from "./parts.js";

test("the parts change no object that they share with the server: workloads run and go on frozen objects", async () => {
  const faults: string[] = [];
  const log = createLogger({ level: "error", write: (line) => faults.push(line) });
  const metrics = new MetricsRegistry();
  await using server = await startApiServer({ metrics, log, freeze: true });
  const controllers = selectControllers(["*"], builtInControllers);
  const credentials = { tokenKey: server.tokenKey() };
  const options = { controllers, nodes: 2, speed: 1, scheduler: true, metrics, log, credentials };
  await using parts = await startParts(server, options, new AbortController().signal);
  const { client } = parts;
  const namespace = "default";
  const labels = { app: "web" };
  const pod = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const selector = { matchLabels: labels };
  await client.resource(Deployment, { namespace }).create({
    metadata: { name: "d" },
    spec: { replicas: 2, selector, template: pod },
  });
  await client.resource(StatefulSet, { namespace }).create({
    metadata: { name: "s" },
    spec: {
      replicas: 1,
      serviceName: "s",
      selector,
      template: pod,
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
  });
  const template = { spec: { ...pod.spec, restartPolicy: "Never" as const } };
  await client.resource(Job, { namespace }).create({ metadata: { name: "j" }, spec: { template } });
  const pods = client.resource(Pod, { namespace });
  const runs = ({ status }: Pod): boolean => status?.phase === "Running" || status?.phase === "Succeeded";
  await eventually("four pods run", async () => (await pods.list()).items.filter(runs).length === 4);
  const background = { propagationPolicy: "Background" } as const;
  await client.resource(Deployment, { namespace }).delete("d", background);
  await client.resource(StatefulSet, { namespace }).delete("s", background);
  await client.resource(Job, { namespace }).delete("j", background);
  await eventually("all pods are gone", async () => (await pods.list()).items.length === 0);
  expect(faults).toEqual([]);
});
