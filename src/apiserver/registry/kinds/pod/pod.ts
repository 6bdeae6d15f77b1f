/** The strategy of pods: defaults, rules, and allowed changes. */
import { defined } from "../../../../base/defined.js";
import {
  fieldPath,
  formatTime,
  type LabelSelector,
  type Pod as AnyPod,
  type PodAffinityTerm,
  type PodCondition,
  type PodSpec,
  type PodStatus,
  semanticEqual,
} from "../../../../api/index.js";
import { own } from "../../../../base/members.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { writtenFamily, ipAddress } from "../rules/addresses.js";
import { changed, each, having } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { inTurn, dns1123Subdomain, immutable, type Issues, type Path, qualifiedName } from "../rules/issues.js";
import { podAnnotationChanges, podAnnotations } from "./annotations.js";
import { claimStatusRules } from "./claim-statuses.js";
import { containerStatusRules } from "./container-statuses.js";
import { podDefaults, podStatusDefaults, qosClassOf } from "./defaults/pod-defaults.js";
import { sameProfiles, withAppArmorFields } from "./profiles.js";
import { podResizeStrategy } from "./pod-resize.js";
import { ephemeralChanges, podSpecChanges } from "./pod-update.js";
import { trimmedImage } from "./validation/containers.js";
import { type PodFacts, podSpec } from "./validation/pod-spec.js";

/** A pod in typed form. */
type Pod = WithSpec<AnyPod>;

const at = { metadata: fieldPath("metadata"), spec: fieldPath("spec"), status: fieldPath("status") };
const annotationsAt = at.metadata.child("annotations");

/** Everything that the rules of a pod look at; pods that share it get the same result. */
interface Subject {
  readonly spec: PodSpec;
  readonly pod: PodFacts;
}

const subjectOf = ({ metadata: { name, annotations }, spec }: Pod): Subject => ({ spec, pod: { name, annotations } });

function* podRules({ spec, pod }: Subject): Issues {
  yield* podAnnotations(annotationsAt, pod.annotations, spec);
  yield* podSpec(at.spec, spec, { pod });
  if (!spec.serviceAccountName) {
    for (const [place, volume] of at.spec.child("volumes").items(spec.volumes)) {
      for (const [here, source] of place.child("projected", "sources").items(volume.projected?.sources)) {
        if (source.serviceAccountToken === undefined) continue;

        yield here.child("serviceAccountToken").forbidden("must not be specified when serviceAccountName is not set");
      }
    }
  }
  for (const list of ["containers", "initContainers"] as const) {
    for (const [itemAt, { image }] of at.spec.child(list).items(spec[list])) yield* trimmedImage(itemAt, image);
  }
}

function* createRules({ spec, pod }: Subject): Issues {
  yield* podRules({ spec, pod });
  if ((spec.ephemeralContainers ?? []).length > 0) {
    yield at.spec.child("ephemeralContainers").forbidden("cannot be set on create");
  }
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
    const why = "cannot be set until all schedulingGates have been cleared";
    yield at.spec.child("nodeName").forbidden(why);
  }
  yield* sameProfiles(at.spec, pod.annotations, spec);
}

/** The claims of ephemeral volumes are named after the pod. */
const isJudgedByContent = ({ spec }: Pod): boolean =>
  spec.volumes?.every(({ ephemeral }) => ephemeral === undefined) ?? true;

function* updateRules(pod: Pod, old: Pod): Issues {
  yield* podRules(subjectOf(pod));
  yield* podAnnotationChanges(annotationsAt, pod, old);
  yield* podSpecChanges(at.spec, pod.spec, old.spec);
}

const systemConditions = new Set(["PodScheduled", "Ready", "Initialized"]);

function* statusRules(pod: Pod, old: Pod): Issues {
  yield* podAnnotationChanges(annotationsAt, pod, old);
  const status = pod.status ?? {};
  for (const [here, condition] of at.status.child("conditions").items(status.conditions)) {
    yield* generationSeen(here, condition.observedGeneration);
    if (!systemConditions.has(condition.type)) yield* qualifiedName(here.child("Type"), condition.type);
  }
  yield* nomination(pod, old);
  yield* generationSeen(at.status, status.observedGeneration);
  yield* immutable(at.status.child("qosClass"), status.qosClass ?? "", old.status?.qosClass ?? "");
  yield* terminatedStays(pod, old);
  const [firstHost] = status.hostIPs ?? [];
  if (firstHost !== undefined && firstHost.ip !== (status.hostIP ?? "")) {
    yield at.status.child("hostIPs").index(0).child("ip").invalid(firstHost.ip, "must be equal to `hostIP`");
  }
  yield* claimStatusRules(pod);
  yield* containerStatusRules(pod);
  for (const list of ["podIPs", "hostIPs"] as const) yield* addressRules(at.status.child(list), status[list] ?? []);
}

function* addressRules(here: Path, list: readonly { readonly ip: string }[]): Issues {
  for (const [place, { ip }] of here.items(list)) yield* ipAddress(place, ip);
  const families = new Set(list.map(({ ip }) => writtenFamily(ip)));
  if (list.length > 1 && (list.length > 2 || families.size < 2)) {
    const shown = list.map(({ ip }) => ({ IP: ip }));
    yield here.invalid(shown, "may specify no more than one IP for each IP family");
  }
}

function* generationSeen(here: Path, generation = 0): Issues {
  if (generation < 0) {
    yield here.child("observedGeneration").invalid(generation, "must be a non-negative integer");
  }
}

function* nomination(pod: Pod, old: Pod): Issues {
  const name = pod.status?.nominatedNodeName ?? "";
  if (name === "" || name === old.status?.nominatedNodeName) return;
  const here = at.status.child("nominatedNodeName");
  yield* dns1123Subdomain(here, name);
  if (old.spec.nodeName) yield here.forbidden("may not be set on pods that are already bound to a node");
}

/** Without restarts, a terminated container stays terminated. */
function* terminatedStays(pod: Pod, old: Pod): Issues {
  if (old.spec.restartPolicy === "Always") return;
  const containers = new Map(old.spec.containers.map((container) => [container.name, container]));
  const revived = (pod.status?.containerStatuses ?? []).filter(({ state }) => state?.terminated === undefined);
  const names = new Set(revived.map(({ name }) => name));
  for (const [place, before] of at.status.child("containerStatuses").items(old.status?.containerStatuses)) {
    const ended = before.state?.terminated;
    if (ended === undefined) continue;
    if (containers.get(before.name)?.restartPolicy !== undefined) continue;
    if (ended.exitCode !== 0 && old.spec.restartPolicy === "OnFailure") continue;
    if (names.has(before.name)) yield place.child("state").forbidden("may not be transitioned to non-terminated state");
  }
}

function newStatus(pod: Pod, now: number): PodStatus {
  const qosClass = qosClassOf(pod.spec);
  if ((pod.spec.schedulingGates ?? []).length === 0) return { phase: "Pending", qosClass };
  const gated: PodCondition = {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null as never,
    lastTransitionTime: formatTime(now),
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  return { phase: "Pending", conditions: [gated], qosClass };
}

/** Resolves matchLabelKeys: terms that name keys of the pod's own labels get the pod's values. */
function withLabelKeys(pod: Pod): Pod {
  const labels = pod.metadata.labels ?? {};
  const merged = (
    selector: LabelSelector,
    keys: readonly string[] | undefined,
    operator: "In" | "NotIn",
  ): LabelSelector => {
    const added = (keys ?? [])
      .filter((key) => own(labels, key) !== undefined)
      .map((key) => ({ key, operator, values: [labels[key] as string] }));
    return added.length === 0
      ? selector
      : { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] };
  };
  const term = (one: PodAffinityTerm): PodAffinityTerm =>
    changed(one, "labelSelector", (selector) =>
      merged(merged(selector, one.matchLabelKeys, "In"), one.mismatchLabelKeys, "NotIn"),
    );
  return changed(pod, "spec", (spec) => {
    const result = changed(spec, "affinity", (affinity) => {
      let next = affinity;
      for (const field of ["podAffinity", "podAntiAffinity"] as const) {
        next = changed(next, field, (pods) => {
          const required = changed(pods, "requiredDuringSchedulingIgnoredDuringExecution", (terms) =>
            each(terms, term),
          );
          return changed(required, "preferredDuringSchedulingIgnoredDuringExecution", (terms) =>
            each(terms, (weighted) => changed(weighted, "podAffinityTerm", term)),
          );
        });
      }
      return next;
    });
    return changed(result, "topologySpreadConstraints", (constraints) =>
      each(constraints, (one) =>
        changed(one, "labelSelector", (selector) => merged(selector, one.matchLabelKeys, "In")),
      ),
    );
  });
}

/** A status from a client that does not know the newer fields keeps them as they were. */
function keptStatus(pod: Pod, old: Pod): Pod {
  if (pod.status === undefined) return pod;
  const before = new Map((old.status?.conditions ?? []).map((one) => [one.type, one.observedGeneration]));
  let status = pod.status;
  if (!status.qosClass) status = having(status, "qosClass", old.status?.qosClass);
  if (!status.observedGeneration) status = having(status, "observedGeneration", old.status?.observedGeneration);
  status = changed(status, "conditions", (conditions) =>
    each(conditions, (one) => (one.observedGeneration ? one : having(one, "observedGeneration", before.get(one.type)))),
  );
  return { ...pod, status };
}

export const podStrategy: Strategy<Pod> = {
  group: "",
  kind: "Pod",
  generation: (pod, old) => !semanticEqual(pod.spec, old.spec),
  deleteReturnsObject: true,
  setDefaults: podDefaults,
  prepareForCreate(pod, { now, warn }) {
    const labelled = withLabelKeys({ ...pod, status: newStatus(pod, now) });
    const profiles = { annotations: annotationsAt, spec: at.spec, warn };
    return changed(labelled, "spec", (spec) => withAppArmorFields(spec, pod.metadata.annotations, profiles));
  },
  validateCreate: (pod) => createRules(subjectOf(pod)),
  isJudgedByContent,
  validateUpdate: updateRules,
  gracePeriodSeconds(pod, asked) {
    const phase = pod.status?.phase;
    if (!pod.spec.nodeName || phase === "Failed" || phase === "Succeeded") return 0;
    const period = asked ?? pod.spec.terminationGracePeriodSeconds ?? 0;
    return period < 0 ? 1 : period;
  },
  status: {
    setDefaults: podStatusDefaults,
    prepareForUpdate: keptStatus,
    validateUpdate: statusRules,
  },
  subresources: {
    ephemeralcontainers: {
      prepareForUpdate: (pod, old) => ({
        ...old,
        metadata: { ...old.metadata, ...defined({ managedFields: pod.metadata.managedFields }) },
        spec: having(old.spec, "ephemeralContainers", pod.spec.ephemeralContainers),
      }),
      validateUpdate: (pod, old) => inTurn(podRules(subjectOf(pod)), ephemeralChanges(pod, old)),
    },
    resize: podResizeStrategy((pod) => podRules(subjectOf(pod))),
  },
  selectableFields: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.restartPolicy": ({ spec }) => spec.restartPolicy ?? "",
    "spec.schedulerName": ({ spec }) => spec.schedulerName ?? "",
    "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName ?? "",
    "spec.hostNetwork": ({ spec }) => String(spec.hostNetwork ?? false),
    "status.phase": ({ status }) => status?.phase ?? "",
    "status.podIP": ({ status }) => status?.podIP ?? "",
    "status.podIPs": ({ status }) => status?.podIP ?? "",
    "status.nominatedNodeName": ({ status }) => status?.nominatedNodeName ?? "",
  },
};
