/** Scenarios for our own parts: a Deployment that is scaled behind a Service, and a Job. */
import { Deployment, Job, Service } from "../../../src/api/index.js";
import {
  allFaults,
  defaultOracles,
  type FaultKind,
  type Oracle,
  type ScenarioTools,
} from "../../../src/testing/index.js";

export const namespace = "default";

/**
 * A change of a pod's spec by others is no business of the controllers that made it; and an EndpointSlice has the labels
 * of its Service alone, here and upstream.
 */
export const faultsForWorkloads: readonly FaultKind[] = allFaults.filter(
  ({ name }) => name !== "child-changed" && name !== "child-labelled",
);

/** Lines of `same-end` that are right in histories whose record tells of a fault. */
interface Allowed {
  readonly told: RegExp;
  readonly lines: RegExp;
}

/** The default oracles, without complaints about differences that kube-controller-manager leaves as well. */
export function oraclesBut(...allowed: readonly Allowed[]): readonly Oracle[] {
  return defaultOracles.map((oracle) =>
    oracle.name !== "same-end"
      ? oracle
      : {
          ...oracle,
          judge(seen) {
            const faults = seen.history.entries.filter((entry) => entry.type === "fault");
            const here = allowed.filter(({ told }) => faults.some(({ text }) => told.test(text)));
            return (oracle.judge?.(seen) ?? []).filter((line) => !here.some(({ lines }) => lines.test(line)));
          },
        },
  );
}

/** Without a token: a pod that is made while its namespace lacks the default account is accepted, and gets none. */
const container = (image: string): object => ({
  automountServiceAccountToken: false,
  containers: [{ name: "main", image }],
});

/** Without these, kube-controller-manager deletes even a finished pod of a node that is gone for five minutes. */
const tolerations = ["not-ready", "unreachable"].map((state) => ({
  key: `node.kubernetes.io/${state}`,
  operator: "Exists",
  effect: "NoExecute",
}));

export async function job({ client, sleep }: ScenarioTools): Promise<void> {
  await client.resource(Job, { namespace }).create({
    metadata: { name: "once" },
    spec: { template: { spec: { ...container("job:1"), restartPolicy: "Never", tolerations } } },
  } as never);
  await sleep(20_000);
}

export async function workloads({ client, sleep }: ScenarioTools): Promise<void> {
  const labels = { app: "web" };
  const deployments = client.resource(Deployment, { namespace });
  await deployments.create({
    metadata: { name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: container("web:1") },
    },
  } as never);
  await client
    .resource(Service, { namespace })
    .create({ metadata: { name: "web" }, spec: { selector: labels, ports: [{ port: 80 }] } });
  await sleep(20_000);
  await deployments.patch("web", { merge: { spec: { replicas: 3 } } });
  await sleep(20_000);
}
