/** Strategies of Deployments, replica sets and replication controllers: a number of pods of one template. */
import {
  type Deployment as AnyDeployment,
  type DeploymentStrategy,
  fieldPath,
  type PodTemplateSpec,
  type ReplicaSet as AnyReplicaSet,
  type ReplicationController as AnyReplicationController,
  semanticEqual,
} from "../../../../api/index.js";
import { own } from "../../../../base/members.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { templateDefaults } from "../pod/defaults/pod-defaults.js";
import {
  atMostAll,
  countOrPercent,
  labelledAsTemplate,
  podTemplate,
  positiveOrPercent,
  runsForever,
  selectedTemplate,
  selectorMismatch,
} from "../pod/template.js";
import { changed, filled } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import {
  immutableFields,
  inTurn,
  type Issues,
  nonNegative,
  nonNegativeFields,
  type Path,
  shownLabels,
} from "../rules/issues.js";
import { subdomainName } from "../rules/names.js";
import { collisions, counts } from "./status.js";

type Deployment = WithSpec<AnyDeployment>;
type ReplicaSet = WithSpec<AnyReplicaSet>;
type ReplicationController = WithSpec<AnyReplicationController>;

const spec = fieldPath("spec");
const status = fieldPath("status");

/** For status writes: these kinds have no defaults outside the spec. */
const specOnly = <T>(object: T): T => object;

function deploymentDefaults(deployment: Deployment): Deployment {
  return changed(deployment, "spec", (given) => {
    const counted = filled(given, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    const strategic = { ...counted, strategy: strategyDefaults(counted.strategy ?? {}) };
    return changed(strategic, "template", templateDefaults);
  });
}

function strategyDefaults(given: DeploymentStrategy): DeploymentStrategy {
  const typed = filled(given, { type: "RollingUpdate" });
  if (typed.type !== "RollingUpdate") return typed;
  return { ...typed, rollingUpdate: filled(typed.rollingUpdate ?? {}, { maxUnavailable: "25%", maxSurge: "25%" }) };
}

function* deploymentRules({ spec: given }: Deployment): Issues {
  yield* nonNegative(spec.child("replicas"), given.replicas);
  const owner = { ...given, selector: given.selector, kind: "deployment", unreadable: "invalid label selector" };
  yield* selectedTemplate(spec, owner, (at) => templateRules(at, given.template));
  yield* strategyRules(spec.child("strategy"), given.strategy ?? {});
  yield* nonNegativeFields(spec, given, ["minReadySeconds", "revisionHistoryLimit"]);
  const deadline = given.progressDeadlineSeconds;
  if (deadline === undefined) return;
  yield* nonNegative(spec.child("progressDeadlineSeconds"), deadline);
  if (deadline <= (given.minReadySeconds ?? 0)) {
    yield spec.child("progressDeadlineSeconds").invalid(deadline, "must be greater than minReadySeconds");
  }
}

function* strategyRules(at: Path, { type, rollingUpdate }: DeploymentStrategy): Issues {
  const here = at.child("rollingUpdate");
  if (type === "Recreate") {
    if (rollingUpdate !== undefined) {
      yield here.forbidden("may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type === "RollingUpdate") {
    const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
    yield* positiveOrPercent(here.child("maxUnavailable"), maxUnavailable);
    yield* positiveOrPercent(here.child("maxSurge"), maxSurge);
    if (countOrPercent(maxUnavailable) === 0 && countOrPercent(maxSurge) === 0) {
      yield here.child("maxUnavailable").invalid(maxUnavailable, "may not be 0 when `maxSurge` is 0");
    }
    yield* atMostAll(here.child("maxUnavailable"), maxUnavailable);
  } else {
    const shown = { Type: type, RollingUpdate: goRolling(rollingUpdate) };
    yield at.notSupported(shown, ["Recreate", "RollingUpdate"]);
  }
}

function goRolling(given: DeploymentStrategy["rollingUpdate"]): unknown {
  return given === undefined ? null : { MaxUnavailable: given.maxUnavailable ?? 0, MaxSurge: given.maxSurge ?? 0 };
}

const replicaCounts = ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"];

export const deploymentStrategy: Strategy<Deployment> = {
  group: "apps",
  kind: "Deployment",
  lenient: { prefixOnUpdate: true },
  // annotations are copied to the replica sets, so a change of them is a change of the desired state
  generation: (now, old) =>
    !semanticEqual(now.spec, old.spec) ||
    !semanticEqual({ annotations: now.metadata.annotations }, { annotations: old.metadata.annotations }),
  setDefaults: deploymentDefaults,
  validateCreate: deploymentRules,
  validateUpdate: (deployment, old) =>
    inTurn(deploymentRules(deployment), immutableFields(spec, deployment.spec, old.spec, "selector")),
  status: {
    setDefaults: specOnly,
    validateUpdate: (now, old) =>
      inTurn(
        counts(status, now.status, ["observedGeneration", ...replicaCounts, "terminatingReplicas", "collisionCount"], {
          "status.replicas": ["updatedReplicas", "readyReplicas", "availableReplicas"],
          readyReplicas: ["availableReplicas"],
        }),
        collisions(status, now.status, old.status),
      ),
  },
};

function* replicaSetRules({ spec: given }: ReplicaSet): Issues {
  yield* nonNegativeFields(spec, given, ["replicas", "minReadySeconds"]);
  const template = given.template ?? {};
  const owner = { selector: given.selector, template, kind: "deployment", unreadable: "invalid label selector" };
  yield* selectedTemplate(spec, owner, (at) => templateRules(at, template));
}

function* templateRules(at: Path, template: PodTemplateSpec): Issues {
  yield* podTemplate(at, template);
  yield* runsForever(at, template, "ReplicaSet");
}

const setCounts = [
  "replicas",
  "fullyLabeledReplicas",
  "readyReplicas",
  "availableReplicas",
  "observedGeneration",
  "terminatingReplicas",
];
const setLimits = {
  "status.replicas": ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  readyReplicas: ["availableReplicas"],
};

export const replicaSetStrategy: Strategy<ReplicaSet> = {
  group: "apps",
  kind: "ReplicaSet",
  lenient: { prefixOnUpdate: true },
  generation: "spec",
  setDefaults: (set) =>
    changed(set, "spec", (given) => changed(filled(given, { replicas: 1 }), "template", templateDefaults)),
  validateCreate: replicaSetRules,
  validateUpdate: (set, old) => inTurn(replicaSetRules(set), immutableFields(spec, set.spec, old.spec, "selector")),
  status: { setDefaults: specOnly, validateUpdate: (now) => counts(status, now.status, setCounts, setLimits) },
};

function controllerDefaults(controller: ReplicationController): ReplicationController {
  const labels = controller.spec.template?.metadata?.labels;
  return changed(labelledAsTemplate(controller, controller.spec.template), "spec", (given) => {
    const isBare = Object.keys(given.selector ?? {}).length === 0;
    const selecting = labels !== undefined && isBare ? { ...given, selector: labels } : given;
    return changed(filled(selecting, { replicas: 1 }), "template", templateDefaults);
  });
}

function* controllerRules({ spec: given }: ReplicationController): Issues {
  yield* nonNegative(spec.child("minReadySeconds"), given.minReadySeconds);
  const selector = given.selector ?? {};
  if (Object.keys(selector).length === 0) yield spec.child("selector").required();
  yield* nonNegative(spec.child("replicas"), given.replicas);
  const here = spec.child("template");
  if (given.template === undefined) {
    yield here.required();
    return;
  }
  const labels = given.template?.metadata?.labels ?? {};
  // a plain map and no label selector: an invalid key or value just matches nothing
  if (Object.entries(selector).some(([key, value]) => own(labels, key) !== value)) {
    yield here.child("metadata", "labels").invalid(shownLabels(given.template.metadata?.labels), selectorMismatch);
  }
  yield* podTemplate(here, given.template);
  yield* runsForever(here, given.template, "ReplicationController");
}

export const replicationControllerStrategy: Strategy<ReplicationController> = {
  group: "",
  kind: "ReplicationController",
  lenient: { prefixOnUpdate: true },
  validateName: (name, prefix) =>
    prefix ? [] : subdomainName(name, prefix).map((why) => why.replace(/characters$/, "bytes")),
  generation: "spec",
  defaultPropagation: "Orphan",
  setDefaults: controllerDefaults,
  validateCreate: controllerRules,
  status: { validateUpdate: (now) => counts(status, now.status, setCounts, setLimits) },
  selectableFields: { "status.replicas": ({ status: given }) => String(given?.replicas ?? 0) },
};
