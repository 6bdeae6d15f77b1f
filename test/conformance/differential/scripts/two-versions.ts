/** Kinds that are served in more than one form: autoscalers in two versions, events in two groups. */
import { inNamespace, object, type Script, table } from "../script.js";

export function autoscalers(): Script {
  const { script: s, group } = inNamespace("diff-scaling");
  const [v1, v2] = ["autoscaling/v1", "autoscaling/v2"].map(
    (version) => `${group(version)}/horizontalpodautoscalers`,
  ) as [string, string];
  const target = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
  const hpa = (version: string, name: string, spec: object): object =>
    object(`autoscaling/${version}`, "HorizontalPodAutoscaler", name, {
      spec: { scaleTargetRef: target, maxReplicas: 3, ...spec },
    });
  const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };
  const pods = { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "10" } } };
  s.post(v1, hpa("v1", "old", { targetCPUUtilizationPercentage: 60 }))
    .get(`${v2}/old`)
    .post(
      v2,
      hpa("v2", "new", {
        metrics: [cpu, pods],
        minReplicas: 2,
        behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
      }),
    )
    .get(`${v1}/new`)
    .get(`${v1}/new`, { accept: table })
    .get(`${v2}/new`, { accept: table })
    .merge(`${v1}/new`, { spec: { maxReplicas: 5 } })
    .get(`${v2}/new`)
    .merge(`${v2}/old`, { spec: { minReplicas: 2 } })
    .get(`${v1}/old`)
    .merge(`${v1}/old/status`, {
      status: { currentReplicas: 2, desiredReplicas: 2, currentCPUUtilizationPercentage: 40 },
    })
    .merge(`${v2}/new/status`, {
      status: { currentReplicas: 1, desiredReplicas: 1, conditions: [{ type: "AbleToScale", status: "True" }] },
    })
    .get(`${v1}/new`)
    .apply(`${v2}/applied?fieldManager=m`, hpa("v2", "applied", { metrics: [cpu] }))
    .apply(`${v1}/applied?fieldManager=n`, hpa("v1", "applied", { targetCPUUtilizationPercentage: 70 }))
    .apply(`${v1}/applied?fieldManager=m`, hpa("v1", "applied", { targetCPUUtilizationPercentage: 80 }))
    .post(v1, hpa("v1", "bad", { minReplicas: 0, targetCPUUtilizationPercentage: 0 }))
    .post(
      v2,
      hpa("v2", "bad", {
        metrics: [{ type: "Nonsense" }],
        minReplicas: 9,
        behavior: { scaleUp: { selectPolicy: "x" } },
      }),
    )
    .get(v1)
    .get(v2)
    .delete(v1);
  return s;
}

export function events(): Script {
  const { script: s, core, group } = inNamespace("diff-events");
  const old = `${core}/events`;
  const next = `${group("events.k8s.io/v1")}/events`;
  const about = { kind: "Pod", name: "p", namespace: "diff-events" };
  const event = (name: string, rest: object): object => object("events.k8s.io/v1", "Event", name, rest);
  const good = {
    regarding: about,
    reason: "R",
    note: "n",
    type: "Normal",
    action: "A",
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "example.com/c",
    reportingInstance: "i",
  };
  s.post(next, event("good", good))
    .get(`${old}/good`)
    .get(`${next}/good`, { accept: table })
    .get(`${old}/good`, { accept: table });
  for (const [name, rest] of [
    ["no-time", { ...good, eventTime: undefined }],
    ["no-controller", { ...good, reportingController: "" }],
    ["bad-controller", { ...good, reportingController: "b@d!" }],
    ["no-instance", { ...good, reportingInstance: "" }],
    ["no-action", { ...good, action: "" }],
    ["no-reason", { ...good, reason: "" }],
    ["bad-type", { ...good, type: "Strange" }],
    ["long-note", { ...good, note: "x".repeat(1025) }],
    ["elsewhere", { ...good, regarding: { ...about, namespace: "default" } }],
    ["series", { ...good, series: { count: 1 } }],
    ["old-fields", { ...good, deprecatedCount: 2, deprecatedSource: { component: "x" } }],
  ] as const) {
    s.post(next, event(name, rest));
  }
  s.merge(`${next}/good`, { note: "changed" })
    .merge(`${next}/good`, { series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" } })
    .merge(`${next}/good`, { series: { count: 0, lastObservedTime: "2026-01-01T00:00:01.000000Z" } })
    .merge(`${old}/good`, { message: "changed", count: 3 })
    .post(
      old,
      object("v1", "Event", "classic", {
        involvedObject: about,
        reason: "R",
        message: "m",
        type: "Normal",
        count: 1,
        source: { component: "k" },
      }),
    )
    .get(`${next}/classic`)
    .post(old, object("v1", "Event", "elsewhere", { involvedObject: { ...about, namespace: "other" } }))
    .get(`${old}?fieldSelector=involvedObject.name%3Dp,reason%3DR`)
    .get(`${next}?fieldSelector=regarding.name%3Dp`)
    .get(`${next}?fieldSelector=involvedObject.name%3Dp`)
    .delete(next);
  return s;
}
