/** The differences between a ReplicaSet and a ReplicationController; the rest of this folder knows neither. */
import {
  type KubeObject,
  type PodTemplateSpec,
  ReplicaSet,
  type ReplicaSetStatus,
  ReplicationController,
  type ResourceType,
  type Selector,
  selectorFromSet,
} from "../../api/index.js";
import { claimSelector } from "../kit/selector.js";
import type { Replicated } from "./plan.js";

export interface ReplicaKind<T extends KubeObject> {
  readonly type: ResourceType<T>;
  /** The queue's name in metrics. */
  readonly queueName: string;
  /** The component's name in events. */
  readonly component: string;
  /** Only a ReplicaSet reports the number of its terminating pods. */
  readonly reportsTerminating: boolean;
  /** Undefined if the selector is not valid. */
  selectorOf(set: T): Selector | undefined;
  templateOf(set: T): PodTemplateSpec;
  replicatedOf(set: T): Replicated;
  withStatus(set: T, status: ReplicaSetStatus): T;
}

/** The members that both kinds have in the same fields. */
const inBoth = {
  templateOf: ({ spec }: ReplicaSet | ReplicationController): PodTemplateSpec => spec?.template ?? {},
  replicatedOf: ({ metadata, spec, status }: ReplicaSet | ReplicationController): Replicated => ({
    generation: metadata.generation ?? 0,
    replicas: spec?.replicas ?? 1,
    minReadySeconds: spec?.minReadySeconds ?? 0,
    templateLabels: spec?.template?.metadata?.labels ?? {},
    status: status as ReplicaSetStatus | undefined,
  }),
};

export const replicaSets: ReplicaKind<ReplicaSet> = {
  ...inBoth,
  type: ReplicaSet,
  queueName: "replicaset",
  component: "replicaset-controller",
  reportsTerminating: true,
  selectorOf: claimSelector,
  withStatus: (set, status) => ({ ...set, status }),
};

export const replicationControllers: ReplicaKind<ReplicationController> = {
  ...inBoth,
  type: ReplicationController,
  queueName: "replicationmanager",
  component: "replication-controller",
  reportsTerminating: false,
  selectorOf: ({ spec }) => (spec?.selector === undefined ? undefined : selectorFromSet(spec.selector)),
  withStatus: (set, status) => ({ ...set, status: status as NonNullable<ReplicationController["status"]> }),
};
