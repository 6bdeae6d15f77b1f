/** Evictions: pods in each phase, budgets in each state, policies for pods that are not healthy, preconditions. */
import { inNamespace, object, type Script } from "../script.js";

export function evictions(): Script {
  const { script: s, core, group } = inNamespace("diff-evictions");
  const path = `${core}/pods`;
  const budgets = `${group("policy/v1")}/poddisruptionbudgets`;
  const labels = { app: "x" };
  const evict = (name: string, rest: object = {}): Script =>
    s.post(`${path}/${name}/eviction`, object("policy/v1", "Eviction", name, rest));
  const pod = (name: string, status?: object, of: object = labels): void => {
    s.post(path, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels: of },
      spec: { nodeName: "n1", automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] },
    });
    if (status !== undefined) s.merge(`${path}/${name}/status`, { status });
  };
  const running = (ready: "True" | "False") => ({ phase: "Running", conditions: [{ type: "Ready", status: ready }] });
  const state = (status: object): void => void s.merge(`${budgets}/b/status`, { status });
  s.post(
    budgets,
    object("policy/v1", "PodDisruptionBudget", "b", { spec: { minAvailable: 1, selector: { matchLabels: labels } } }),
  );

  // pods that no budget counts
  pod("pending");
  pod("failed", { phase: "Failed" });
  pod("succeeded", { phase: "Succeeded" });
  for (const name of ["pending", "failed", "succeeded"]) evict(name).get(`${path}/${name}`);
  evict("pending");

  // budgets that say no, each in its own words
  pod("ready", running("True"));
  evict("ready");
  const allowance = (reason: string, message: string) => [
    { type: "DisruptionAllowed", status: "False", reason, message, lastTransitionTime: "2026-01-01T00:00:00Z" },
  ];
  const counts = {
    observedGeneration: 1,
    disruptionsAllowed: 0,
    desiredHealthy: 1,
    currentHealthy: 1,
    expectedPods: 1,
  };
  for (const status of [
    counts,
    { currentHealthy: 3 },
    { conditions: allowance("InsufficientPods", "because") },
    { conditions: allowance("SyncFailed", "no scale") },
    { conditions: allowance("SyncFailed", ""), currentHealthy: 1 },
    { disruptionsAllowed: -1 },
  ]) {
    state(status);
    evict("ready");
  }

  // pods that are not healthy
  const policy = (unhealthyPodEvictionPolicy: string | null): Script =>
    s.merge(`${budgets}/b`, { spec: { unhealthyPodEvictionPolicy } });
  for (const name of ["u1", "u2", "u3"]) pod(name, running("False"));
  state({ disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 0, conditions: [] });
  evict("u1");
  policy("IfHealthyBudget");
  state({ observedGeneration: 2 });
  evict("u1");
  policy("AlwaysAllow");
  evict("u1").get(`${path}/u1`);
  policy(null);
  state({ observedGeneration: 4, currentHealthy: 1 });
  evict("u2").get(`${path}/u2`);
  state({ desiredHealthy: 0 });
  evict("u3");

  // a budget that allows one, and then none
  state({ disruptionsAllowed: 1, desiredHealthy: 1, currentHealthy: 2 });
  evict("ready", { deleteOptions: { preconditions: { uid: "11111111-2222-3333-4444-555555555555" } } });
  state({ disruptionsAllowed: 1, disruptedPods: null });
  evict("ready", { deleteOptions: { preconditions: { resourceVersion: "1" } } });
  state({ disruptionsAllowed: 1, disruptedPods: null });
  s.post(`${path}/ready/eviction?dryRun=All`, object("policy/v1", "Eviction", "ready")).get(`${budgets}/b`);
  evict("ready", { deleteOptions: { gracePeriodSeconds: 7 } })
    .get(`${path}/ready`)
    .get(`${budgets}/b`);
  pod("second", running("True"));
  evict("second");
  evict("ready");

  // two budgets, and the wrong object
  s.post(budgets, object("policy/v1", "PodDisruptionBudget", "all", { spec: { maxUnavailable: "50%", selector: {} } }));
  evict("second");
  pod("alone", running("True"), { app: "y" });
  s.post(`${path}/alone/eviction`, object("policy/v1", "Eviction", "other")).post(`${path}/alone/eviction`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: {},
  });
  evict("alone", { deleteOptions: { gracePeriodSeconds: -1, propagationPolicy: "Nonsense" } });
  s.delete(`${budgets}/all`);
  evict("alone", { deleteOptions: { gracePeriodSeconds: -1, propagationPolicy: "Nonsense" } });
  const dry = { metadata: { name: "alone" }, deleteOptions: { dryRun: ["All"] } };
  s.post(`${path}/alone/eviction`, dry)
    .post(`${path}/alone/eviction`, { apiVersion: "policy/v1beta1", kind: "Eviction", ...dry })
    .post(`${path}/alone/eviction`, { apiVersion: "policy/v2", kind: "Eviction", ...dry })
    .get(`${path}/alone/eviction`)
    .merge(`${path}/alone/eviction`, dry);
  evict("alone");
  s.json(`${path}/alone`, [{ op: "add", path: "/metadata/finalizers", value: ["example.com/hold"] }]);
  pod("held", running("True"), { app: "z" });
  s.json(`${path}/held`, [{ op: "add", path: "/metadata/finalizers", value: ["example.com/hold"] }]);
  evict("held", { deleteOptions: { gracePeriodSeconds: 0 } }).get(`${path}/held`);
  return s;
}
