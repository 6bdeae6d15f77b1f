/** Short ways to write objects that scenarios share. */
import type {
  DaemonSet,
  Deployment,
  DeploymentSpec,
  Job,
  JobSpec,
  Pod,
  PodSpec,
  PodTemplateSpec,
  ReplicaSet,
  StatefulSet,
} from "../../../../src/api/index.js";

export interface TemplateOptions {
  readonly image?: string;
  /** Annotations of simulated nodes, without their prefix. */
  readonly life?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
}

export function template({ image = "one", life = {}, labels = { app: "a" }, spec = {} }: TemplateOptions = {}) {
  const annotations = Object.fromEntries(Object.entries(life).map(([key, text]) => [`coxswain.dev/${key}`, text]));
  return {
    metadata: { labels, ...(Object.keys(life).length === 0 ? {} : { annotations }) },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "c", image }], ...spec },
  } satisfies PodTemplateSpec;
}

export const selector = { matchLabels: { app: "a" } };

export const deployment = (
  spec: Partial<DeploymentSpec> = {},
  options: TemplateOptions = {},
): { metadata: { name: string }; spec: DeploymentSpec } => ({
  metadata: { name: "web" },
  spec: { replicas: 3, selector, template: template(options), ...spec },
});

export const job = (spec: Partial<JobSpec> = {}, options: TemplateOptions = {}) => ({
  metadata: { name: "job" },
  spec: {
    template: template({
      labels: { app: "a" },
      ...options,
      life: { "run-for": "300ms", ...options.life },
      spec: { restartPolicy: "Never", ...options.spec },
    }),
    ...spec,
  },
});

export const hasRolledOut = (one: Deployment | undefined): boolean => {
  const { spec, status, metadata } = one ?? { metadata: {} };
  const wanted = spec?.replicas ?? 1;
  return (
    status?.observedGeneration === metadata.generation &&
    status?.updatedReplicas === wanted &&
    status.replicas === wanted &&
    status.availableReplicas === wanted
  );
};

export const isTrue = (one: Deployment | Job | Pod | undefined, type: string): boolean =>
  (one?.status?.conditions as readonly { type: string; status: string }[] | undefined)?.some(
    (condition) => condition.type === type && condition.status === "True",
  ) ?? false;

export const conditionReason = (one: Deployment | Job | undefined, type: string): string | undefined =>
  (one?.status?.conditions as readonly { type: string; reason?: string }[] | undefined)?.find(
    (condition) => condition.type === type,
  )?.reason;

/** True for this number of replicas, all available, and none beyond. */
export const hasReplicas =
  (count: number) =>
  (one: ReplicaSet | StatefulSet | undefined): boolean =>
    one?.status?.observedGeneration === one?.metadata.generation &&
    (one?.status?.replicas ?? 0) === count &&
    (one?.status?.availableReplicas ?? 0) === count;

export const hasDaemons =
  (count: number) =>
  (one: DaemonSet | undefined): boolean =>
    one?.status?.observedGeneration === one?.metadata.generation &&
    one?.status?.desiredNumberScheduled === count &&
    (one.status.numberAvailable ?? 0) === count &&
    (one.status.updatedNumberScheduled ?? 0) === count;
