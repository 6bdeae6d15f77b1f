/** The changes that are allowed in an existing pod. */
import {
  type Container,
  changedPaths,
  fieldPath,
  type NodeAffinity,
  type NodeSelectorTerm,
  type Pod as AnyPod,
  type PodSpec,
  rangeComplaint,
  semanticEqual,
  type Toleration,
} from "../../../../api/index.js";
import { own } from "../../../../base/members.js";
import { having } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import type { Issues, Path } from "../rules/issues.js";
import { requiredTerms, tolerations } from "./validation/scheduling.js";

type Pod = WithSpec<AnyPod>;

const updatable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

const largestInt32 = 2 ** 31 - 1;

/** Stops where upstream stops: further errors would only repeat the fault. */
export function* podSpecChanges(at: Path, now: PodSpec, old: PodSpec): Issues {
  for (const list of ["containers", "initContainers"] as const) {
    const [after, before] = [now[list] ?? [], old[list] ?? []];
    if (after.length !== before.length) {
      yield at.child(list).forbidden("pod updates may not add or remove containers");
      return;
    }
    yield* images(at.child(list), after);
  }
  const deadlines = [...activeDeadline(at.child("activeDeadlineSeconds"), now, old)];
  yield* deadlines;
  if (deadlines.length > 0 && now.activeDeadlineSeconds !== undefined) return;
  yield* addedTolerations(at.child("tolerations"), now.tolerations ?? [], old.tolerations ?? []);
  yield* removedGates(at.child("schedulingGates"), now, old);
  if (semanticEqual(now, old)) return;
  const gated = (old.schedulingGates ?? []).length > 0;
  if (gated) yield* gatedChanges(at, now, old);
  const rest = withOldMutable(now, old, gated);
  if (semanticEqual(rest, old)) return;
  const paths = changedPaths(old, rest).map((path) => `spec.${path}`);
  yield at.forbidden(`pod updates may not change fields other than ${updatable.join(",")}\n${paths.join("\n")}`);
}

function* images(at: Path, containers: readonly Container[]): Issues {
  for (const [place, { image = "" }] of at.items(containers)) {
    const here = place.child("image");
    if (image === "") yield here.required();
    if (image.trim() !== image) yield here.invalid(image, "must not have leading or trailing whitespace");
  }
}

function* activeDeadline(at: Path, now: PodSpec, old: PodSpec): Issues {
  const [after, before] = [now.activeDeadlineSeconds, old.activeDeadlineSeconds];
  if (after !== undefined) {
    if (after < 0 || after > largestInt32) yield at.invalid(after, rangeComplaint(0, largestInt32));
    else if (before !== undefined && before < after) {
      yield at.invalid(after, "must be less than or equal to previous value");
    }
  } else if (before !== undefined) {
    yield at.invalid(undefined, "must not update from a positive integer to nil value");
  }
}

function* addedTolerations(at: Path, now: readonly Toleration[], old: readonly Toleration[]): Issues {
  const timeless = ({ key, operator, value, effect }: Toleration): string =>
    JSON.stringify([key, operator, value, effect]);
  const present = new Set(now.map(timeless));
  const kept = old.every((before) => present.has(timeless(before)));
  if (!kept) yield at.forbidden("existing toleration can not be modified except its tolerationSeconds");
  else yield* tolerations(at, now);
}

function* removedGates(at: Path, now: PodSpec, old: PodSpec): Issues {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  for (const [here, { name }] of at.items(now.schedulingGates)) {
    if (before.has(name)) continue;
    const why = `only deletion is allowed, but found new scheduling gate '${name}'`;
    yield here.child("name").forbidden(why);
  }
}

/** While a pod is gated, its node selection may still be narrowed. */
function* gatedChanges(at: Path, now: PodSpec, old: PodSpec): Issues {
  const selector = now.nodeSelector ?? {};
  const lost = Object.entries(old.nodeSelector ?? {}).some(([key, value]) => own(selector, key) !== value);
  if (lost) {
    const why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
    yield at.child("nodeSelector").invalid(selector, why);
  }
  yield* affinityChanges(at.child("affinity", "nodeAffinity"), now.affinity?.nodeAffinity, old.affinity?.nodeAffinity);
}

function* affinityChanges(at: Path, now: NodeAffinity | undefined, old: NodeAffinity | undefined): Issues {
  const before = old?.[requiredTerms]?.nodeSelectorTerms ?? [];
  const after = now?.[requiredTerms]?.nodeSelectorTerms ?? [];
  const here = at.child(requiredTerms, "nodeSelectorTerms");
  if (semanticEqual(now, old) || before.length === 0) return;
  if (before.length !== after.length) {
    yield here.invalid(after, "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
    return;
  }
  for (const [index, term] of before.entries()) {
    const next = after[index] as NodeSelectorTerm;
    if (onlyAdds(next, term)) continue;
    yield here.index(index).invalid(next, "only additions are allowed (no mutations or deletions)");
  }
}

function onlyAdds(now: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const lists = (["matchExpressions", "matchFields"] as const).map(
    (list) => [now[list] ?? [], old[list] ?? []] as const,
  );
  if (lists.every(([, before]) => before.length === 0)) return lists.every(([after]) => after.length === 0);
  return lists.every(([after, before]) => semanticEqual(after.slice(0, before.length), before));
}

/** `now` with all mutable fields as they were, so that the remaining differences are forbidden changes. */
function withOldMutable(now: PodSpec, old: PodSpec, gated: boolean): PodSpec {
  const imagesOf = (list: "containers" | "initContainers"): readonly Container[] | undefined =>
    now[list]?.map((container, index) => having(container, "image", old[list]?.[index]?.image));
  let rest = having(having(now, "containers", imagesOf("containers")), "initContainers", imagesOf("initContainers"));
  for (const field of ["activeDeadlineSeconds", "schedulingGates", "tolerations"] as const) {
    rest = having(rest, field, old[field] as never);
  }
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && rest.terminationGracePeriodSeconds === 1) {
    rest = having(rest, "terminationGracePeriodSeconds", old.terminationGracePeriodSeconds);
  }
  if (!gated) return rest;
  rest = having(rest, "nodeSelector", old.nodeSelector);
  const affinity = having({ ...rest.affinity }, "nodeAffinity", old.affinity?.nodeAffinity);
  return having(rest, "affinity", Object.keys(affinity).length === 0 ? old.affinity : affinity);
}

/** Ephemeral containers may be added, but never changed or removed. */
export function* ephemeralChanges(pod: Pod, old: Pod): Issues {
  const at = fieldPath("spec", "ephemeralContainers");
  const now = new Map((pod.spec.ephemeralContainers ?? []).map((one) => [one.name, one]));
  for (const before of old.spec.ephemeralContainers ?? []) {
    const after = now.get(before.name);
    const subject = `existing ephemeral containers "${before.name}" may not be`;
    if (after === undefined) yield at.forbidden(`${subject} removed\n`);
    else if (!semanticEqual(after, before)) {
      yield at.forbidden(`${subject} changed\n${changedPaths(before, after).join("\n")}`);
    }
  }
}
