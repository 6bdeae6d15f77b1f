import { context, propagation, type SpanContext, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ConfigMap, Deployment, newControllerRef, Pod, Secret } from "../../src/api/index.js";
import { createLogger } from "../../src/base/index.js";
import { traceAnnotation } from "../../src/controller/index.js";
import { Manager, type ManagerOptions } from "../../src/manager/index.js";
import { startTracing, withTraceIds } from "../../src/opentelemetry/index.js";
import { type TestCluster, startCluster } from "../../src/testing/cluster.js";
import { eventually } from "../eventually.js";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
beforeEach(() => exporter.reset());
afterAll(() => {
  context.disable();
  propagation.disable();
});

const tracer = provider.getTracer("test");
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web:1" }] } };
const webSpec = { replicas: 1, selector: { matchLabels: { app: "web" } }, template };

/** A controller that answers each ConfigMap with a Deployment. */
function managerOf(options: ManagerOptions): Manager {
  const manager = new Manager(options);
  manager.controller({
    name: "maps",
    for: ConfigMap,
    owns: [Deployment],
    async reconcile({ object, client, log }) {
      // the server keeps some ConfigMaps of its own
      if (object.metadata.namespace !== "default") return;
      log.info("reconciles");
      const { name, namespace = "default" } = object.metadata;
      await tracer.startActiveSpan("own work", async (span) => {
        await client.apply(Deployment, { metadata: { name, namespace }, spec: webSpec });
        span.end();
      });
    },
  });
  return manager;
}

async function start(make: (cluster: TestCluster) => Manager): Promise<TestCluster> {
  const cluster = await startCluster({ controllers: ["deployment", "replicaset"] });
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const manager = make(cluster);
  const running = manager.start();
  onTestFinished(() => running.close());
  await eventually("the manager is ready", () => manager.problems().length === 0);
  return cluster;
}

/** The span of this name about an object in the namespace `default`, once it has ended. */
const finished = (name: string): ReadableSpan | undefined =>
  exporter
    .getFinishedSpans()
    .find((span) => span.name === name && String(span.attributes["coxswain.key"]).startsWith("default/"));

/** The names of the spans above this one, the nearest first. */
function above(span: ReadableSpan): string[] {
  const parent = exporter
    .getFinishedSpans()
    .find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId);
  return parent === undefined ? [] : [parent.name, ...above(parent)];
}

describe("one trace", () => {
  test("leads from a change through every controller that it set to work", async () => {
    using _tracing = startTracing({ tracer });
    const { client } = await start((cluster) => managerOf({ client: cluster.client }));
    await client.resource(ConfigMap).create({ metadata: { name: "a", namespace: "default" } });
    const chainOfPod = (): string[] => {
      const pod = finished("create Pod");
      return pod === undefined ? [] : above(pod);
    };
    await eventually("a pod is made, and its causes have ended", () => chainOfPod().at(-1) === "reconcile maps");
    const pod = finished("create Pod") as ReadableSpan;
    const chain = chainOfPod();
    expect(chain.slice(0, 3)).toEqual(["reconcile replicaset", "create ReplicaSet", "reconcile deployment"]);
    expect(chain.slice(-3)).toEqual(["apply Deployment", "own work", "reconcile maps"]);
    expect(
      new Set([pod, finished("reconcile maps") as ReadableSpan].map((span) => span.spanContext().traceId)).size,
    ).toBe(1);

    const reconcile = finished("reconcile maps") as ReadableSpan;
    expect(reconcile.attributes).toMatchObject({ "coxswain.key": "default/a", "coxswain.result": "done" });
    expect(reconcile.events.map(({ name }) => name)).toContain("because added");
    const waits = exporter.getFinishedSpans().filter(({ name }) => name === "queue maps");
    const wait = waits.find(({ parentSpanContext }) => parentSpanContext?.spanId === reconcile.spanContext().spanId);
    const waitedMs = Number(reconcile.attributes["coxswain.queue.waited_ms"]);
    expect(wait?.attributes).toMatchObject({ "coxswain.controller": "maps", "coxswain.key": "default/a" });
    expect((wait?.duration[0] ?? 0) * 1000 + (wait?.duration[1] ?? 0) / 1e6).toBeCloseTo(waitedMs, 0);
    const request = exporter
      .getFinishedSpans()
      .find(({ name, attributes }) => name === "PATCH" && String(attributes["url.path"]).endsWith("/deployments/a"));
    expect(request?.attributes).toMatchObject({ "http.response.status_code": 201 });
    // caches list and watch outside of any reconcile
    expect(exporter.getFinishedSpans().filter(({ name }) => name === "GET")).toEqual([]);
  });

  test("goes on in another process by the annotation that a writer leaves", async () => {
    using tracing = startTracing({ tracer });
    const { client } = await start((cluster) => managerOf({ client: cluster.client }));
    const writer = tracing.annotating(client);
    const far: SpanContext = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1, isRemote: true };
    const elsewhere = trace.setSpanContext(context.active(), far);
    const make = (name: string): Promise<ConfigMap> =>
      writer.resource(ConfigMap).create({ metadata: { name, namespace: "default" } });
    const made = await context.with(elsewhere, () => make("b"));
    const left = made.metadata.annotations?.[traceAnnotation] ?? "";
    expect(left).toMatch(/^00-a{32}-[\da-f]{16}-01$/);
    await eventually("it is reconciled", () => finished("reconcile maps") !== undefined);
    expect((finished("reconcile maps") as ReadableSpan).parentSpanContext).toMatchObject({
      traceId: far.traceId,
      spanId: left.split("-")[2],
    });
    expect((await make("outside")).metadata.annotations).toBeUndefined();
  });
});

test("a trace is left only where something changes, so that a mark wakes nobody", async () => {
  using tracing = startTracing({ tracer });
  const cluster = await startCluster({ clock: "virtual" });
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const { client, clock } = cluster;
  const manager = new Manager({ client: tracing.annotating(client) });
  // in part: the cache cannot tell whether an apply would change anything, and sends it
  manager.cache(Secret, { fields: ["type"] });
  let runs = 0;
  manager.controller({
    name: "maps",
    for: ConfigMap,
    predicates: [({ object }) => object.metadata.namespace === "default"],
    owns: [Secret],
    writes: [ConfigMap],
    async reconcile({ object, client: own }) {
      runs += 1;
      const { name, namespace = "default" } = object.metadata;
      const metadata = { name, namespace, ownerReferences: [newControllerRef(object)] };
      await own.apply(Secret, { metadata, stringData: { a: object.data?.["a"] ?? "" } });
      await own.patch(object, { merge: { metadata: { labels: { seen: "yes" } } } });
    },
  });
  const running = manager.start();
  onTestFinished(() => running.close());
  const place = { name: "a", namespace: "default" };
  await client.resource(ConfigMap).create({ metadata: place, data: { a: "1" } });
  await clock.pass(60_000);
  const first = await client.resource(Secret).get(place);
  expect(first.metadata.annotations?.[traceAnnotation]).toMatch(/^00-/);
  const [runsBefore, map] = [runs, await client.resource(ConfigMap).get(place)];
  expect(map.metadata.annotations?.[traceAnnotation]).toMatch(/^00-/);
  expect(runsBefore).toBeLessThan(6);

  await clock.pass(600_000);
  expect([runs, (await client.resource(Secret).get(place)).metadata.resourceVersion]).toEqual([
    runsBefore,
    first.metadata.resourceVersion,
  ]);
  await client.resource(ConfigMap).patch(place, { merge: { data: { a: "2" } } });
  await clock.pass(60_000);
  const second = await client.resource(Secret).get(place);
  expect(second.data?.["a"]).toBe(btoa("2"));
  expect(second.metadata.annotations?.[traceAnnotation]).not.toBe(first.metadata.annotations?.[traceAnnotation]);
  expect(runs).toBeLessThan(runsBefore + 4);
});

describe("a failure", () => {
  test("marks the span, and a trace that somebody made up begins none", async () => {
    using _tracing = startTracing({ tracer });
    const { client } = await start((cluster) => {
      const manager = new Manager({ client: cluster.client });
      manager.controller({ name: "broken", for: Pod, reconcile: () => Promise.reject(new Error("no database")) });
      return manager;
    });
    const annotations = { [traceAnnotation]: "00-zz-not-a-trace" };
    await client
      .resource(Pod)
      .create({ metadata: { name: "a", namespace: "default", annotations }, spec: template.spec });
    await eventually("it fails", () => finished("reconcile broken") !== undefined);
    const span = finished("reconcile broken") as ReadableSpan;
    expect(span.status).toEqual({ code: 2, message: "no database" });
    expect(span.parentSpanContext).toBeUndefined();
  });
});

describe("log lines", () => {
  test("carry the ids of the span in which they are written", async () => {
    using _tracing = startTracing({ tracer });
    const lines: string[] = [];
    const log = withTraceIds(createLogger({ format: "json", write: (line) => void lines.push(line) }));
    const { client } = await start((cluster) => managerOf({ client: cluster.client, log }));
    await client.resource(ConfigMap).create({ metadata: { name: "a", namespace: "default" } });
    await eventually("it is reconciled", () => finished("reconcile maps") !== undefined);
    const { traceId, spanId } = (finished("reconcile maps") as ReadableSpan).spanContext();
    const [line] = lines
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .filter(({ message }) => message === "reconciles");
    expect(line).toMatchObject({ trace_id: traceId, span_id: spanId, key: "default/a" });
    expect(lines.filter((text) => text.includes("manager started")).join()).not.toContain("trace_id");
  });
});

describe("without a follower", () => {
  test("nothing is made, and nothing is written on objects", async () => {
    const tracing = startTracing({ tracer });
    tracing[Symbol.dispose]();
    const { client } = await start((cluster) => managerOf({ client: cluster.client }));
    await client.resource(ConfigMap).create({ metadata: { name: "a", namespace: "default" } });
    await eventually(
      "it is reconciled",
      async () => (await client.resource(Deployment).getOrUndefined({ name: "a", namespace: "default" })) !== undefined,
    );
    const names = exporter.getFinishedSpans().map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(["own work"]));
  });
});
