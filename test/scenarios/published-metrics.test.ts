/** The dashboard, the alert rules and the tables of docs/operating.md name only metrics that a manager exposes, with labels that they have. */
import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { describe, expect, onTestFinished, test } from "vitest";
import { ConfigMap } from "../../src/api/index.js";
import { Manager } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/cluster.js";
import { eventually } from "../eventually.js";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const families = "controller_runtime|workqueue|rest_client|reflector|informer|coxswain|leader_election|process|nodejs";
const namesIn = (text: string): string[] => text.match(new RegExp(`\\b(?:${families})_[a-z0-9_]+`, "g")) ?? [];

/** The labels of each exposed metric; undefined if it has no series yet. */
async function exposed(): Promise<ReadonlyMap<string, readonly string[] | undefined>> {
  const cluster = await startCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const manager = await Manager.create({
    client: cluster.client,
    http: { host: "127.0.0.1", port: 0 },
    leaderElection: { lease: { namespace: "default", name: "metrics" } },
    webhooks: { name: "metrics", certificates: { secret: { namespace: "default", name: "certificates" } }, port: 0 },
  });
  let reconciled = false;
  manager.controller({ name: "maps", for: ConfigMap, reconcile: async () => void (reconciled = true) });
  manager.webhook({ for: ConfigMap, validate: ({ object }) => (object.data?.["bad"] ? ["it is bad"] : []) });
  const running = manager.start();
  onTestFinished(() => running.close());
  await eventually("the manager is ready", () => manager.problems().length === 0);
  await eventually("the webhook is asked", async () => {
    const bad = { metadata: { name: "bad", namespace: "default" }, data: { bad: "yes" } };
    return await cluster.client
      .resource(ConfigMap)
      .create(bad, { dryRun: true })
      .then(
        () => false,
        () => true,
      );
  });
  await eventually("an object is reconciled", async () => {
    if (!reconciled)
      await cluster.client.resource(ConfigMap).create({ metadata: { generateName: "m", namespace: "default" } });
    return reconciled;
  });
  const text = await (await fetch(`${manager.url}/metrics`)).text();
  const metrics = new Map<string, readonly string[] | undefined>();
  for (const line of text.split("\n")) {
    const [, declared] = /^# TYPE (\S+)/.exec(line) ?? [];
    if (declared !== undefined) metrics.set(declared, undefined);
    const [, sample = "", labels = ""] = /^([a-z]\w*)(?:\{(.*)\})? /.exec(line) ?? [];
    if (sample !== "")
      metrics.set(
        sample,
        Array.from(labels.matchAll(/(\w+)="/g), ([, name]) => name as string),
      );
  }
  return metrics;
}

function expressions(): string[] {
  const dashboard = JSON.parse(read("docs/operating/dashboard.json")) as {
    readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  };
  const alerts = load(read("docs/operating/alerts.yaml")) as {
    readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
  };
  return [
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
  ];
}

describe("the metrics that documents name", () => {
  test("are exposed, with the labels by which they are grouped", async () => {
    const metrics = await exposed();
    const told = expressions();
    expect(told.length).toBeGreaterThan(30);
    const unknown = [...told, read("docs/operating.md")]
      .flatMap(namesIn)
      .filter((name) => !metrics.has(name) && !metrics.has(name.replace(/_bucket$/, "")));
    // of a manager with a fleet, or with shards in the place of a lease, and of a program with the embedded server
    const elsewhere = [
      "coxswain_fleet_cluster_ready",
      "coxswain_shards_held",
      "coxswain_shard_members",
      "coxswain_apiserver_long_turn_seconds",
    ];
    expect([...new Set(unknown)].toSorted()).toEqual(elsewhere.toSorted());

    const wrong = told.flatMap((expr) => {
      const grouped = Array.from(expr.matchAll(/by \(([^)]*)\)/g), ([, list = ""]) => list.split(/, ?/)).flat();
      return namesIn(expr).flatMap((name) => {
        const labels = metrics.get(name);
        const added = ["instance"];
        if (labels === undefined) return [];
        return grouped
          .filter((label) => !labels.includes(label) && !added.includes(label))
          .map((label) => `${name} by ${label}`);
      });
    });
    expect(wrong).toEqual([]);
  });
});
