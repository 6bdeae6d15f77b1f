/**
 * Plays histories with one autoscaler, ours or the real kube-controller-manager's, on the embedded server, which serves
 * the metrics; gives the recordings.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CustomResourceDefinition,
  defineResource,
  Event,
  HorizontalPodAutoscaler,
  type KubeObject,
  Namespace,
  Pod,
} from "../../../src/api/index.js";
import { type MetricReading, MetricValues, type UsageSource } from "../../../src/apiserver/index.js";
import { Lifetime, startRunning, systemClock } from "../../../src/base/index.js";
import { without } from "../../../src/base/members.js";
import { podAutoscaler, runControllers } from "../../../src/builtin/index.js";
import { Client } from "../../../src/client/index.js";
import { coreCorrelation, coreEventSink, EventBroadcaster } from "../../../src/controller/index.js";
import { SharedInformerFactory } from "../../../src/informer/index.js";
import { startTestServer } from "../../../src/testing/cluster.js";
import { startGuarded } from "../../../src/testing/guarded-process.js";
import type { History, Step } from "./histories.js";

interface Fleet extends KubeObject {
  readonly spec?: { readonly replicas: number };
  readonly status?: { readonly replicas: number; readonly selector: string };
}

const Fleet = defineResource<Fleet>({
  group: "example.com",
  version: "v1",
  kind: "Fleet",
  plural: "fleets",
  scope: "Namespaced",
});

export interface Recording {
  /** All numbers of replicas that the target was given, in order. */
  readonly scales: readonly number[];
  /** The autoscaler's status at the end of each step, without times. */
  readonly statuses: readonly unknown[];
  /** The distinct events, without counts. */
  readonly events: readonly string[];
}

/** The real one works in real time, so both look often, and forget soon. */
const syncPeriodMs = 2_000;
const downscaleStabilizationMs = 5_000;
/** Long enough for an autoscaler that is behind, and for the stabilisation to end. */
const stepMs = 14_000;

export type Who = "ours" | "real";

export async function play(
  who: Who,
  histories: readonly History[],
  assets: string,
): Promise<ReadonlyMap<string, Recording>> {
  await using lifetime = new Lifetime();
  const steps = new Map<string, Step>();
  const indexOf = ({ metadata }: KubeObject): number => Number(metadata.labels?.["index"]);
  const stepFor = ({ metadata }: KubeObject): Step | undefined => steps.get(metadata.namespace ?? "");
  const metricValues = new MetricValues();
  const usage: UsageSource = (_pods, now) => ({
    node: () => undefined,
    pod(pod) {
      const { cpu: amounts = [], ageMs = 0 } = stepFor(pod) ?? {};
      const cpu = amounts[indexOf(pod)];
      if (cpu === undefined) return undefined;
      return { timestamp: now - ageMs, windowMs: 15_000, containers: [{ name: "main", cpu, memory: 0 }] };
    },
  });
  metricValues.custom({ name: "requests", resource: "pods", valueOf: (pod) => stepFor(pod)?.requests[indexOf(pod)] });
  metricValues.custom({ name: "hits", resource: "fleets.example.com", valueOf: (fleet) => stepFor(fleet)?.hits });
  for (const { name } of histories) {
    const value = (): MetricReading | undefined => steps.get(name)?.queue;
    metricValues.external({ name: "queue", namespace: name, labels: { queue: "jobs" }, value });
  }
  const server = lifetime.use(await startTestServer({ usage, metricValues }));
  const client = lifetime.use(new Client({ transport: server.transport() }));
  await define(client);
  await Promise.all(histories.map((history) => create(client, history)));
  const informers = new SharedInformerFactory(client);
  lifetime.defer(() => informers.shutdown());
  const scales = new Map<string, number[]>();
  informers.informer(Fleet).addEventHandler((change) => {
    const { namespace = "" } = change.object.metadata;
    const seen = scales.get(namespace) ?? [];
    const { replicas = -1 } = change.object.spec ?? {};
    if (seen.at(-1) !== replicas) scales.set(namespace, [...seen, replicas]);
  });
  lifetime.use(informers.start());
  await informers.waitForCacheSync({ signal: AbortSignal.timeout(60_000) });
  for (const history of histories) steps.set(history.name, history.steps[0] as Step);
  if (who === "ours") startOurs(client, lifetime);
  else await startReal(await listening(server, lifetime), assets, lifetime);
  const statuses = new Map<string, unknown[]>(histories.map(({ name }) => [name, []]));
  // the first look comes after a period
  await pause(syncPeriodMs);
  const { length } = histories[0]?.steps ?? [];
  for (let index = 0; index < length; index++) {
    for (const history of histories) steps.set(history.name, history.steps[index] as Step);
    await pause(stepMs);
    const { items } = await client.resource(HorizontalPodAutoscaler).list();
    for (const { metadata, status } of items) statuses.get(metadata.namespace ?? "")?.push(withoutTimes(status));
  }
  const events = await eventsOf(client);
  return new Map(
    histories.map(({ name }) => [
      name,
      { scales: scales.get(name) ?? [], statuses: statuses.get(name) ?? [], events: events.get(name) ?? [] },
    ]),
  );
}

const pause = (ms: number): Promise<void> => systemClock.sleep(ms, new AbortController().signal);

async function define(client: Client): Promise<void> {
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const scale = {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  };
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema },
    subresources: { scale, status: {} },
  };
  const definitions = client.resource(CustomResourceDefinition);
  await definitions.create({
    metadata: { name: "fleets.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "fleets", singular: "fleet", kind: "Fleet", listKind: "FleetList" },
      scope: "Namespaced",
      versions: [version],
    },
  });
  await definitions.waitFor(
    "fleets.example.com",
    (one) => one?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false,
    { timeoutMs: 60_000 },
  );
}

async function create(
  client: Client,
  { name: namespace, replicas, statusReplicas, pods, fault, spec }: History,
): Promise<void> {
  await client.resource(Namespace).create({ metadata: { name: namespace } });
  if (fault !== "no target") {
    const selector = fault === "no selector" ? "" : fault === "bad selector" ? "a in (" : `app=${namespace}`;
    const fleets = client.resource(Fleet, { namespace });
    const fleet = await fleets.create({ metadata: { name: "target" }, spec: { replicas } });
    await fleets.status.update({ ...fleet, status: { replicas: statusReplicas, selector } });
  }
  for (const [index, { status, request }] of pods.entries()) {
    const resources = request === undefined ? {} : { requests: { cpu: request } };
    const own = client.resource(Pod, { namespace });
    const pod = await own.create({
      metadata: { name: `pod-${index}`, labels: { app: namespace, index: String(index) } },
      spec: { nodeName: "nowhere", containers: [{ name: "main", image: "a", resources }] },
    });
    await own.status.update({ ...pod, status: { ...pod.status, ...status } });
  }
  const kind = fault === "unknown kind" ? "Unknown" : "Fleet";
  const scalable = { apiVersion: "example.com/v1", kind, name: "target" };
  const scaleTargetRef = fault === "no scale" ? { ...scalable, apiVersion: "apps/v1", kind: "DaemonSet" } : scalable;
  await client
    .resource(HorizontalPodAutoscaler, { namespace })
    .create({ metadata: { name: "scaler" }, spec: { scaleTargetRef, ...spec } });
}

function startOurs(client: Client, lifetime: Lifetime): void {
  const events = new EventBroadcaster({ queueLimit: 20_000 });
  lifetime.use(events.startRecordingToSink(coreCorrelation(coreEventSink(client))));
  const controllers = [podAutoscaler({ syncPeriodMs, downscaleStabilizationMs })];
  const recorderFor = (component: string) => events.newRecorder({ component });
  const workers = new Map([["horizontalpodautoscaling", 20]]);
  lifetime.use(startRunning((signal) => runControllers({ client, controllers, recorderFor, workers, signal })));
}

async function listening(server: Awaited<ReturnType<typeof startTestServer>>, lifetime: Lifetime): Promise<string> {
  const listener = lifetime.use(await server.listen());
  const directory = await mkdtemp(join(tmpdir(), "coxswain-autoscaling-"));
  lifetime.defer(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, "kubeconfig"), listener.kubeconfig, { mode: 0o600 });
  return directory;
}

async function startReal(directory: string, assets: string, lifetime: Lifetime): Promise<void> {
  const same = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"];
  lifetime.use(
    startGuarded(join(assets, "kube-controller-manager"), {
      args: [
        ...same.map((flag) => `--${flag}=${join(directory, "kubeconfig")}`),
        "--leader-elect=false",
        "--secure-port=0",
        `--cert-dir=${directory}`,
        "--controllers=horizontal-pod-autoscaler-controller",
        `--horizontal-pod-autoscaler-sync-period=${syncPeriodMs}ms`,
        `--horizontal-pod-autoscaler-downscale-stabilization=${downscaleStabilizationMs}ms`,
        "--concurrent-horizontal-pod-autoscaler-syncs=20",
        "--kube-api-qps=1000",
        "--kube-api-burst=1000",
      ],
      logFile: join(directory, "kube-controller-manager.log"),
    }),
  );
}

/** In the order of the conditions' types; the order of equal ones is not compared. */
function withoutTimes(status: HorizontalPodAutoscaler["status"]): unknown {
  const { lastScaleTime, conditions = [], ...rest } = status ?? { desiredReplicas: 0 };
  return {
    ...rest,
    scaled: lastScaleTime !== undefined,
    conditions: conditions.map((condition) => without(condition, "lastTransitionTime")),
  };
}

async function eventsOf(client: Client): Promise<ReadonlyMap<string, readonly string[]>> {
  const byNamespace = new Map<string, Set<string>>();
  const { items } = await client.resource(Event).list();
  for (const { metadata, type, reason, message, involvedObject, source } of items) {
    // a conflict with its own write of a moment ago, as its cache may be behind
    if (reason === "FailedUpdateStatus") continue;
    const { namespace = "" } = metadata;
    const told = byNamespace.get(namespace) ?? new Set();
    const { kind, name, apiVersion } = involvedObject;
    byNamespace.set(
      namespace,
      told.add(`${apiVersion} ${kind} ${name} ${type} ${reason} ${message} [${source?.component}]`),
    );
  }
  return new Map([...byNamespace].map(([namespace, told]) => [namespace, [...told].sort()]));
}
