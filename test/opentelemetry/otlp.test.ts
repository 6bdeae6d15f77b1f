/** One trace through two processes, collected by OTLP over HTTP: an operator and the built-in controllers. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { crdOf, defineResource, Pod, ReplicaSet, ServiceAccount } from "../../src/api/index.js";
import { startApiServer } from "../../src/apiserver/index.js";
import { connect, installDefinition } from "../../src/client/index.js";
import { traceAnnotation } from "../../src/controller/index.js";
import { envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { eventually } from "../eventually.js";
import { type CollectedSpan, type Collector, startCollector } from "./collector.js";
import { writePrivateFile } from "../../src/base/index.js";

const main = join(process.cwd(), "dist", "cli", "main.js");
const beside = (file: string): string => join(process.cwd(), "test", "opentelemetry", file);
const isLong = process.env["COXSWAIN_FULL"] === "1";

const Foo = defineResource({
  group: "traced.example.com",
  version: "v1",
  kind: "Foo",
  plural: "foos",
  scope: "Namespaced",
  schema: { type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } },
});

async function embedded(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-otlp-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const server = await startApiServer({ systemObjects: true });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const file = join(folder, "kubeconfig");
  await writePrivateFile(file, (await server.listen({ port: 0 })).kubeconfig);
  return file;
}

async function real(): Promise<string> {
  const server = await startEnvtest({ assets: envtestAssets() ?? "" });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.kubeconfig;
}

/** A process with OpenTelemetry's SDK; gives the lines that it writes. */
function start(name: string, collector: Collector, args: readonly string[]): readonly string[] {
  const env = {
    ...process.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpointOf(name),
    OTEL_BSP_SCHEDULE_DELAY: "200",
  };
  const child = spawn(process.execPath, ["--import", beside("sdk.mjs"), ...args], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => void lines.push(line));
  return lines;
}

/** The span and those above it, as `process: name`, the nearest first. */
function chainOf(spans: readonly CollectedSpan[], span: CollectedSpan): readonly string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  // whether a request or the write around it is the cause depends on which is heard of first, the answer or the event
  const own = /^[A-Z]+$/.test(span.name) ? [] : [`${span.from}: ${span.name}`];
  return [...own, ...(parent === undefined ? [] : chainOf(spans, parent))];
}

const servers = [
  { where: "the embedded server", open: embedded, skip: false },
  {
    where: "a real server (needs KUBEBUILDER_ASSETS and COXSWAIN_FULL=1)",
    open: real,
    skip: !isLong || !envtestAssets(),
  },
];

describe.skipIf(!existsSync(main))("a trace through processes (needs a build in dist)", () => {
  for (const { where, open, skip } of servers)
    test.skipIf(skip)(`on ${where} leads from a change to the pods that it caused`, async () => {
      await using collector = await startCollector();
      const kubeconfig = await open();
      await using client = await connect({ kubeconfig });
      await installDefinition(client, crdOf(Foo));
      // no controller makes it here
      await client.resource(ServiceAccount, { namespace: "default" }).create({ metadata: { name: "default" } });
      const json = ["--kubeconfig", kubeconfig, "--log-format", "json"];
      const parts = ["--controllers", "deployment,replicaset", "--no-leader-elect", "--tracing"];
      const written = start("builtin", collector, [main, "controller-manager", ...parts, ...json]);
      const operator = start("operator", collector, [beside("operator.mjs"), ...json]);
      const runs = (lines: readonly string[], words: string) => () => lines.some((line) => line.includes(words));
      await eventually("the operator runs", runs(operator, "controller starts"));
      await eventually("the built-in controllers run", runs(written, "running "));

      // the trace of a person's or another program's request
      const traceId = "0af7651916cd43dd8448eb211c80319c";
      const metadata = {
        namespace: "default",
        annotations: { [traceAnnotation]: `00-${traceId}-b7ad6b7169203331-01` },
      };
      await client.resource(Foo).create({ metadata: { ...metadata, name: "a" } });
      const chain = (): readonly string[] => {
        const made = collector.spans.find((span) => span.traceId === traceId && span.name === "create Pod");
        return made === undefined ? [] : chainOf(collector.spans, made);
      };
      await eventually("all spans were sent", () => chain().at(-1) === "operator: reconcile foos");
      expect(chain()).toEqual([
        "builtin: create Pod",
        "builtin: reconcile replicaset",
        "builtin: create ReplicaSet",
        "builtin: reconcile deployment",
        "operator: apply Deployment",
        "operator: reconcile foos",
      ]);
      // the next process would continue it
      for (const type of [ReplicaSet, Pod]) {
        const [made] = (await client.resource(type as typeof Pod, { namespace: "default" }).list()).items;
        expect(made?.metadata.annotations?.[traceAnnotation]).toMatch(new RegExp(`^00-${traceId}-`));
      }
      const [told] = operator.filter((line) => line.includes("answers with a Deployment"));
      const reconcile = collector.spans.find(({ name, traceId: of }) => of === traceId && name === "reconcile foos");
      expect(JSON.parse(told ?? "{}")).toMatchObject({ trace_id: traceId, span_id: reconcile?.spanId });
    });
});
