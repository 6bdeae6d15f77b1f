/** The same machinery on a real kube-apiserver, which decides what is accepted. */
import { describe, expect, test } from "vitest";
import { ConfigMap, Event, EventsV1Event, newControllerRef, Secret } from "../../src/api/index.js";
import { systemClock } from "../../src/base/index.js";
import { connect } from "../../src/client/index.js";
import {
  coreCorrelation,
  coreEventSink,
  desired,
  EventBroadcaster,
  eventsV1Sink,
  seriesCorrelation,
} from "../../src/controller/index.js";
import { Manager } from "../../src/manager/index.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { patienceMs } from "../eventually.js";

describe.skipIf(!hasRealCluster())("on a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)", () => {
  for (const [api, start] of [
    ["v1", (client: never) => coreCorrelation(coreEventSink(client))],
    ["events.k8s.io/v1", (client: never) => seriesCorrelation(eventsV1Sink(client))],
  ] as const) {
    test(`events of ${api} are created, counted, and accepted whatever their message`, async () => {
      const { kubeconfig } = await realCluster();
      await using client = await connect({ kubeconfig });
      const name = `events-${api.replaceAll(/[./]/g, "-")}`;
      const object = await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name } });
      const broadcaster = new EventBroadcaster();
      const running = broadcaster.startRecordingToSink(start(client as never));
      const recorder = broadcaster.newRecorder({ component: "coxswain-test" });
      for (let i = 0; i < 4; i++) recorder.warning(object, "Repeated", "the same");
      recorder.normal(object, "Long", "x".repeat(3_000), { annotations: { a: "b" }, related: object });
      recorder.normal(
        { kind: "ClusterRole", apiVersion: "rbac.authorization.k8s.io/v1", name: "system:odd" },
        "Odd",
        "name",
      );
      await running[Symbol.asyncDispose]();
      expect(broadcaster.outcomes()).toEqual(api === "v1" ? { sent: 6 } : { sent: 5, counted: 2 });
      const core = await client
        .resource(Event, { namespace: "default" })
        .list({ fieldSelector: `involvedObject.name=${name}` });
      const v1 = await client.resource(EventsV1Event, { namespace: "default" }).list();
      const found = core.items.map(({ reason, count, series }) => `${reason} ${count ?? series?.count ?? 1}`);
      expect(found.toSorted()).toEqual(["Long 1", "Repeated 4"]);
      expect(
        v1.items.find(({ reason, regarding }) => reason === "Odd" && regarding?.name === "system:odd"),
      ).toBeDefined();
    });
  }

  test("a manager with a lease makes, repairs and prunes, with no more writes than changes", async () => {
    const { kubeconfig } = await realCluster();
    await using client = await connect({ kubeconfig });
    const manager = await Manager.create({
      client,
      namespaces: ["default"],
      leaderElection: { lease: { namespace: "default", name: "real-manager" } },
    });
    manager.cache(ConfigMap, { labelSelector: "app=real-manager" });
    manager.controller<ConfigMap>({
      name: "split",
      for: ConfigMap,
      owns: [Secret],
      reconcile: desired({
        for: ConfigMap,
        kinds: [Secret],
        plan: (object) => ({
          objects: Object.entries(object.data ?? {}).map(([part, text]) => ({
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name: `${object.metadata.name}-${part}` },
            data: { text: btoa(text) },
          })),
        }),
      }),
    });
    await using _running = manager.start();
    const maps = client.resource(ConfigMap, { namespace: "default" });
    const secrets = client.resource(Secret, { namespace: "default" });
    const wait = { timeoutMs: patienceMs };
    const map = await maps.create({
      metadata: { name: "real", labels: { app: "real-manager" } },
      data: { a: "1", b: "2" },
    });
    const made = await secrets.waitFor("real-a", (secret) => secret !== undefined, wait);
    expect(made?.metadata.ownerReferences).toEqual([newControllerRef(map)]);
    await secrets.patch("real-a", { merge: { data: { text: btoa("drift") } } });
    await secrets.waitFor("real-a", (secret) => secret?.data?.["text"] === btoa("1"), wait);
    await maps.patch("real", { merge: { data: { b: null, c: "3" } } });
    await secrets.waitFor("real-c", (secret) => secret !== undefined, wait);
    await secrets.waitFor("real-b", (secret) => secret === undefined, wait);
    const sent = (): readonly string[] =>
      manager.journal
        .entries()
        .flatMap(({ writes }) => writes.filter(({ outcome }) => outcome === "done"))
        .map(({ verb, key }) => `${verb} ${key}`)
        .sort();
    const expected = [
      "apply default/real-a",
      "apply default/real-a",
      "apply default/real-b",
      "apply default/real-c",
      "delete default/real-b",
    ];
    // the writes of a run are in the journal when the run has ended
    await expect.poll(sent, { timeout: patienceMs }).toEqual(expected);
    await systemClock.sleep(300, new AbortController().signal);
    expect(sent()).toEqual(expected);
    expect(manager.problems()).toEqual([]);
  });
});
