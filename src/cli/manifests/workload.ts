/** The objects around the operator's pods: Deployment, Service, PodDisruptionBudget, ServiceMonitor. Pure. */
import type { Container, Deployment, KubeObject, PodDisruptionBudget, Service } from "../../api/index.js";
import type { ManagerNeeds } from "../../manager/index.js";

/** The choices of the person who installs. */
export interface Installation {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  /** The command line of the program. */
  readonly args: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly serviceMonitor: boolean;
}

export const resources = { requests: { cpu: "10m", memory: "96Mi" }, limits: { memory: "256Mi" } } as const;

/** Above the time that a manager takes to stop. */
const graceSeconds = 45;

export function workloadOf(
  { httpPort, webhooks }: ManagerNeeds,
  installation: Installation,
): readonly (readonly [string, readonly KubeObject[]])[] {
  const ports = { http: httpPort, webhooks: webhooks?.port };
  const { serviceMonitor } = installation;
  const service = serviceOf(installation, ports, webhooks?.service);
  return [
    ["service", service === undefined ? [] : [service]],
    ["deployment", [deploymentOf(installation, ports), budgetOf(installation)]],
    ["monitoring", serviceMonitor && httpPort !== undefined ? [monitorOf(installation)] : []],
  ];
}

interface Ports {
  readonly http: number | undefined;
  readonly webhooks: number | undefined;
}

const portList = ({
  http,
  webhooks,
}: Ports): readonly { readonly name: "http" | "webhooks"; readonly port: number }[] => [
  ...(http === undefined ? [] : [{ name: "http" as const, port: http }]),
  ...(webhooks === undefined ? [] : [{ name: "webhooks" as const, port: webhooks }]),
];

const metadataOf = ({ name, namespace, labels }: Installation): KubeObject["metadata"] => ({ name, namespace, labels });

function containerOf({ image, args }: Installation, ports: Ports): Container {
  const probe = (path: string, periodSeconds: number): object => ({
    httpGet: { path, port: "http" },
    periodSeconds,
    timeoutSeconds: 5,
  });
  return {
    name: "operator",
    image,
    args,
    ports: portList(ports).map(({ name, port }) => ({ name, containerPort: port })),
    ...(ports.http === undefined
      ? {}
      : { livenessProbe: { ...probe("/healthz", 20), initialDelaySeconds: 15 }, readinessProbe: probe("/readyz", 10) }),
    resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
}

function deploymentOf(installation: Installation, ports: Ports): Deployment {
  const { name, labels, replicas } = installation;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadataOf(installation),
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          terminationGracePeriodSeconds: graceSeconds,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          containers: [containerOf(installation, ports)],
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "kubernetes.io/hostname",
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: { matchLabels: labels },
            },
          ],
        },
      },
    },
  };
}

/** One replica at a time may be taken away, so that a node can be drained and one stays. */
function budgetOf(installation: Installation): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: metadataOf(installation),
    spec: { maxUnavailable: 1, selector: { matchLabels: installation.labels } },
  };
}

/** Metrics under their port, webhooks under the port that the server asks. */
function serviceOf(
  installation: Installation,
  ports: Ports,
  asked: { readonly name: string; readonly port?: number } | undefined,
): Service | undefined {
  const list = portList(ports);
  if (list.length === 0) return undefined;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadataOf(installation), name: asked?.name ?? installation.name },
    spec: {
      selector: installation.labels,
      ports: list.map(({ name, port }) => ({
        name,
        port: name === "webhooks" ? (asked?.port ?? 443) : port,
        targetPort: name,
      })),
    },
  };
}

function monitorOf(installation: Installation): KubeObject {
  const spec = {
    selector: { matchLabels: installation.labels },
    endpoints: [{ port: "http", path: "/metrics", interval: "30s" }],
  };
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: metadataOf(installation),
    spec,
  } as KubeObject;
}
