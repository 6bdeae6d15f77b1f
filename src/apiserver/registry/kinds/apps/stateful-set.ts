/** Strategies of stateful sets, and of controller revisions, which keep old templates. */
import {
  type ControllerRevision,
  type Draft,
  fieldPath,
  type PersistentVolumeClaim,
  type PodTemplateSpec,
  semanticEqual,
  type StatefulSet as AnyStatefulSet,
  type StatefulSetSpec,
  type StatefulSetUpdateStrategy,
  type Volume,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { templateDefaults } from "../pod/defaults/pod-defaults.js";
import { claimSpec, claimSpecDefaults } from "../volumes/claim-spec.js";
import {
  atMostAll,
  countOrPercent,
  podTemplate,
  positiveOrPercent,
  runsForever,
  selectedTemplate,
} from "../pod/template.js";
import { podAnnotations } from "../pod/annotations.js";
import { changed, each, filled, having } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import {
  annotationMap,
  dns1123Label,
  immutable,
  inTurn,
  type Issues,
  labelMap,
  nonNegative,
  nonNegativeFields,
  optionalOneOf,
  type Path,
} from "../rules/issues.js";
import { labelName } from "../rules/names.js";
import { collisions, counts } from "./status.js";

type StatefulSet = WithSpec<AnyStatefulSet>;

const spec = fieldPath("spec");
const status = fieldPath("status");

function updateDefaults(given: StatefulSetUpdateStrategy): StatefulSetUpdateStrategy {
  const typed = given.type
    ? given
    : { ...given, type: "RollingUpdate" as const, rollingUpdate: given.rollingUpdate ?? {} };
  if (typed.type !== "RollingUpdate" || typed.rollingUpdate === undefined) return typed;
  return {
    ...typed,
    rollingUpdate: having(filled(typed.rollingUpdate, { partition: 0 }), "maxUnavailable", undefined),
  };
}

function statefulSetDefaults(set: StatefulSet): StatefulSet {
  return changed(set, "spec", (given) => {
    const plain = filled(given, { podManagementPolicy: "OrderedReady", replicas: 1, revisionHistoryLimit: 10 });
    const retention = filled(plain.persistentVolumeClaimRetentionPolicy ?? {}, {
      whenDeleted: "Retain",
      whenScaled: "Retain",
    });
    const updating: StatefulSetSpec = {
      ...plain,
      updateStrategy: updateDefaults(plain.updateStrategy ?? {}),
      persistentVolumeClaimRetentionPolicy: retention,
    };
    const templated = changed(updating, "template", templateDefaults);
    return changed(templated, "volumeClaimTemplates", (claims) => each(claims, claimDefaults));
  });
}

function claimDefaults(claim: Draft<PersistentVolumeClaim>): Draft<PersistentVolumeClaim> {
  const typed = filled(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
  return changed({ ...typed, status: filled(typed.status ?? {}, { phase: "Pending" }) }, "spec", claimSpecDefaults);
}

/** On update the claims and the service name cannot change, so they are not validated again. */
function* statefulSetRules(given: StatefulSetSpec, onUpdate: boolean): Issues {
  const policy: string = given.podManagementPolicy ?? "";
  if (policy !== "OrderedReady" && policy !== "Parallel") {
    yield spec.child("podManagementPolicy").invalid(policy, "must be 'OrderedReady' or 'Parallel'");
  }
  yield* updateRules(spec.child("updateStrategy"), given.updateStrategy ?? {});
  yield* retentionRules(spec.child("persistentVolumeClaimRetentionPolicy"), given);
  if (!onUpdate) {
    for (const [place, claim] of spec.child("volumeClaimTemplates").items(given.volumeClaimTemplates)) {
      yield* claimSpec(place.child("spec"), claim.spec ?? {});
    }
  }
  yield* nonNegativeFields(spec, given, ["replicas", "minReadySeconds"]);
  yield* nonNegative(spec.child("ordinals.start"), given.ordinals?.start);
  if (!onUpdate && given.serviceName) yield* dns1123Label(spec.child("serviceName"), given.serviceName);
  const template = asItWillRun(given);
  const owner = { selector: given.selector, template, kind: "statefulset", unreadable: "" };
  yield* selectedTemplate(spec, owner, (at) => templateRules(at, template));
  yield* runsForever(spec.child("template"), given.template, "StatefulSet");
}

/** Some rules are applied twice, as upstream, so their errors come twice. */
function* templateRules(at: Path, template: PodTemplateSpec): Issues {
  yield* podTemplate(at, template);
  yield* labelMap(at.child("labels"), template.metadata?.labels);
  yield* annotationMap(at.child("annotations"), template.metadata?.annotations);
  if (template.spec === undefined) return;
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "", ...template.metadata },
    spec: template.spec,
  } as const;
  yield* podAnnotations(at.child("annotations"), pod.metadata.annotations, pod.spec);
}

/** The template with the names and claims that the controller will set, as it is validated. */
function asItWillRun(given: StatefulSetSpec): PodTemplateSpec {
  const claims = given.volumeClaimTemplates ?? [];
  // claims of the same name become one volume
  const names = new Set(claims.map(({ metadata: { name = "" } }) => name));
  const claimed: readonly Volume[] = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return changed(given.template, "spec", (pod) => {
    const unnamed = having(having(pod, "hostname", undefined), "subdomain", undefined);
    if (claims.length === 0) return unnamed;
    const own = (pod.volumes ?? []).filter(({ name }) => !names.has(name));
    return { ...unnamed, volumes: [...claimed, ...own] };
  });
}

function* updateRules(at: Path, given: StatefulSetUpdateStrategy): Issues {
  const { type, rollingUpdate } = given;
  const here = at.child("rollingUpdate");
  if (type === "OnDelete") {
    if (rollingUpdate !== undefined) {
      const shown = { Partition: rollingUpdate.partition ?? 0, MaxUnavailable: rollingUpdate.maxUnavailable ?? null };
      yield here.invalid(shown, "only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (type === "RollingUpdate") {
    if (rollingUpdate === undefined) return;
    const { partition, maxUnavailable } = rollingUpdate;
    yield* nonNegative(here.child("partition"), partition);
    if (maxUnavailable === undefined) return;
    yield* positiveOrPercent(here.child("maxUnavailable"), maxUnavailable);
    if (countOrPercent(maxUnavailable) === 0) yield here.child("maxUnavailable").invalid(maxUnavailable, "cannot be 0");
    yield* atMostAll(here.child("maxUnavailable"), maxUnavailable);
  } else {
    const rolling =
      rollingUpdate === undefined
        ? null
        : { Partition: rollingUpdate.partition ?? 0, MaxUnavailable: rollingUpdate.maxUnavailable ?? null };
    yield at.invalid({ Type: type, RollingUpdate: rolling }, "must be 'RollingUpdate' or 'OnDelete'");
  }
}

function* retentionRules(at: Path, { persistentVolumeClaimRetentionPolicy: policy }: StatefulSetSpec): Issues {
  for (const field of ["whenDeleted", "whenScaled"] as const) {
    yield* optionalOneOf(at.child(field), policy?.[field] ?? "", ["Retain", "Delete"]);
  }
}

const mutable = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
] as const;

function* updateChanges(now: StatefulSetSpec, old: StatefulSetSpec): Issues {
  let rest = now;
  for (const field of mutable) rest = having(rest, field, old[field] as never);
  if (semanticEqual(rest, old)) return;
  const fields =
    "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'";
  yield spec.forbidden(`updates to statefulset spec for fields other than ${fields} are forbidden`);
}

export const statefulSetStrategy: Strategy<StatefulSet> = {
  group: "apps",
  kind: "StatefulSet",
  lenient: { prefixOnUpdate: true },
  generation: "spec",
  validateName: labelName,
  setDefaults: statefulSetDefaults,
  validateCreate: (set) => statefulSetRules(set.spec, false),
  validateUpdate: (set, old) => inTurn(statefulSetRules(set.spec, true), updateChanges(set.spec, old.spec)),
  status: {
    validateUpdate: (now, old) =>
      inTurn(
        counts(
          status,
          now.status,
          [
            "replicas",
            "readyReplicas",
            "currentReplicas",
            "updatedReplicas",
            "availableReplicas",
            "observedGeneration",
            "collisionCount",
          ],
          {
            "status.replicas": ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
            "status.readyReplicas": ["availableReplicas"],
          },
        ),
        collisions(status, now.status, old.status),
      ),
  },
};

function* revisionData({ data }: { readonly data?: unknown }): Issues {
  if (data === undefined || data === null) yield fieldPath("data").required("data is mandatory");
  else if (typeof data !== "object" || Array.isArray(data)) {
    yield fieldPath("data").required("data must be a valid JSON object");
  }
}

export const controllerRevisionStrategy: Strategy<ControllerRevision> = {
  group: "apps",
  kind: "ControllerRevision",
  validateCreate: (revision) =>
    inTurn(
      nonNegative(fieldPath("revision"), revision.revision),
      revisionData(revision as { readonly data?: unknown }),
    ),
  validateUpdate: (revision, old) =>
    inTurn(
      nonNegative(fieldPath("revision"), revision.revision),
      immutable(fieldPath("data"), revision.data, old.data),
    ),
};
