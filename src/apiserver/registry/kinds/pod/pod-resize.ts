/** `pods/resize`: cpu and memory of containers may change while they run, and nothing else. */
import { defined } from "../../../../base/defined.js";
import {
  type Container,
  fieldPath,
  type Pod as AnyPod,
  type ResourceRequirements,
  semanticEqual,
} from "../../../../api/index.js";
import type { UpdateStrategy } from "../../../contracts/strategy.js";
import { having } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { inTurn, type Issues, type Path } from "../rules/issues.js";
import { qosClassOf } from "./defaults/pod-defaults.js";
import { isMirrorPod } from "../../../../api/pods/mirror.js";

type Pod = WithSpec<AnyPod>;
type Lists = "containers" | "initContainers";

const at = fieldPath("spec");
const lists = ["containers", "initContainers"] as const satisfies readonly Lists[];

/** Added, removed or renamed containers are left as sent, so that the rules can report them. */
function onlyResources(pod: Pod, old: Pod): Pod {
  if (lists.some((list) => (pod.spec[list] ?? []).length !== (old.spec[list] ?? []).length)) return pod;
  const merged = (list: Lists): readonly Container[] | undefined => {
    const [now, before] = [pod.spec[list] ?? [], old.spec[list] ?? []];
    if (now.length === 0 || now.some(({ name }, i) => name !== before[i]?.name)) return pod.spec[list];
    return before.map((container, i) => {
      const { resources, resizePolicy } = now[i] as Container;
      return having(having(container, "resources", resources), "resizePolicy", resizePolicy);
    });
  };
  const { managedFields } = pod.metadata;
  let spec = having(old.spec, "resources", pod.spec.resources);
  for (const list of lists) spec = having(spec, list, merged(list) as never);
  return { ...old, metadata: { ...old.metadata, ...defined({ managedFields }) }, spec };
}

function* resizeRules(pod: Pod, old: Pod): Issues {
  if (isMirrorPod(old)) {
    yield fieldPath("").forbidden("static pods cannot be resized");
    return;
  }
  if (old.spec.os?.name === "windows") {
    yield fieldPath("").forbidden("windows pods cannot be resized");
    return;
  }
  const was = old.status?.qosClass || qosClassOf(old.spec);
  if (was !== qosClassOf(pod.spec)) {
    yield at.invalid(was, "Pod QOS Class may not change as a result of resizing");
  }
  const running = old.status?.containerStatuses?.find(({ state }) => state?.running !== undefined);
  if (running !== undefined && running.resources === undefined) {
    yield at.forbidden("Pod running on node without support for resize");
  }
  yield* podLevel(at.child("resources"), pod.spec.resources, old.spec.resources);
  const moved = lists.flatMap((list) => [...movedContainers(pod, old, list)]);
  yield* moved;
  if (moved.length > 0) return;
  for (const list of lists.toReversed()) {
    for (const [index, container] of (pod.spec[list] ?? []).entries()) {
      const here = at.child(list).index(index).child("resources");
      yield* removed(here, container.resources, old.spec[list]?.[index]?.resources, "resource");
    }
  }
  yield* otherChanges(pod, old);
}

function* podLevel(here: Path, now: ResourceRequirements | undefined, old: ResourceRequirements | undefined): Issues {
  if (old !== undefined && now === undefined) {
    yield here.forbidden("pod-level resources cannot be removed");
    return;
  }
  yield* removed(here, now, old, "pod-level resource");
  if (!semanticEqual(masked(now, old), masked(old, old))) {
    yield at.forbidden("only cpu and memory resources are mutable at pod-level");
  }
}

function* movedContainers(pod: Pod, old: Pod, list: Lists): Issues {
  const [now, before] = [pod.spec[list] ?? [], old.spec[list] ?? []];
  if (now.length !== before.length) {
    yield at.child(list).forbidden(`${list} may not be added or removed on resize`);
    return;
  }
  for (const [index, { name }] of before.entries()) {
    if (now[index]?.name === name) continue;
    yield at.child(list).index(index).child("name").forbidden(`${list} may not be renamed or reordered on resize`);
  }
}

function* removed(
  here: Path,
  now: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
  what: string,
): Issues {
  for (const list of ["requests", "limits"] as const) {
    const left = now?.[list] ?? {};
    if (Object.keys(old?.[list] ?? {}).every((name) => Object.hasOwn(left, name))) continue;
    yield here.child(list).forbidden(`${what} ${list} cannot be removed`);
  }
}

function* otherChanges(pod: Pod, old: Pod): Issues {
  for (const [index, container] of pod.spec.containers.entries()) {
    if (!sameButForSize(container, old.spec.containers[index] as Container)) {
      yield at.forbidden("only cpu and memory resources are mutable");
    }
  }
  for (const [index, container] of (pod.spec.initContainers ?? []).entries()) {
    const before = old.spec.initContainers?.[index] as Container;
    const here = at.child("initContainers").index(index);
    if (!sameButForSize(container, before)) {
      yield here.forbidden("only cpu and memory resources for init or sidecar containers are mutable");
    }
    if (semanticEqual(container, before) || container.restartPolicy === "Always") continue;
    if (container.resizePolicy?.some(({ restartPolicy }) => restartPolicy === "RestartContainer")) {
      const why = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
      yield here.forbidden(why);
    }
  }
}

function sameButForSize(now: Container, old: Container): boolean {
  return semanticEqual(
    having(now, "resources", masked(now.resources, old.resources)),
    having(old, "resources", masked(old.resources, old.resources)),
  );
}

/** The new requirements with cpu and memory as they were. */
function masked(now: ResourceRequirements | undefined, old: ResourceRequirements | undefined): ResourceRequirements {
  const list = (name: "requests" | "limits"): Readonly<Record<string, string>> => {
    const { cpu: _cpu, memory: _memory, ...rest } = now?.[name] ?? {};
    const { cpu, memory } = old?.[name] ?? {};
    return { ...rest, ...defined({ cpu, memory }) };
  };
  return { ...now, requests: list("requests"), limits: list("limits") };
}

/** `rules` are those of every pod. */
export function podResizeStrategy(rules: (pod: Pod) => Issues): UpdateStrategy<Pod> {
  return {
    prepareForUpdate: onlyResources,
    validateUpdate: (pod, old) => inTurn(rules(pod), resizeRules(pod, old)),
  };
}
