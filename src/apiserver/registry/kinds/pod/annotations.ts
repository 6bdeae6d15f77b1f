/** Rules for a pod's annotations that mean something to the server. */
import { fieldPath, type PodSpec } from "../../../../api/index.js";
import { own } from "../../../../base/members.js";
import { descendingPath, type Issues, type Path } from "../rules/issues.js";
import { appArmorContainer, seccompContainer, seccompPod } from "./profiles.js";
import { visitedContainers } from "./validation/security.js";
import { mirrorAnnotation } from "../../../../api/pods/mirror.js";

export type Annotations = Readonly<Record<string, string>>;

export interface Annotated {
  readonly metadata: { readonly annotations?: Annotations };
  readonly spec: PodSpec;
}

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";

export function* podAnnotations(at: Path, annotations: Annotations | undefined, spec: PodSpec): Issues {
  if (annotations === undefined) return;
  const mirrored = annotations[mirrorAnnotation];
  if (mirrored !== undefined && !spec.nodeName) {
    yield at.key(mirrorAnnotation).invalid(mirrored, "must set spec.nodeName if mirror pod annotation is set");
  }
  const cost = annotations[deletionCost];
  if (cost !== undefined && !isInt32(cost)) yield at.key(deletionCost).invalid(cost, "must be a 32bit integer");
  for (const [key, value] of Object.entries(annotations)) {
    if (key === seccompPod || key.startsWith(seccompContainer)) yield* seccompProfile(at.child(key), value);
  }
  const names = new Set(visitedContainers(fieldPath("spec"), spec).map(({ container }) => container.name));
  for (const [key, value] of Object.entries(annotations)) {
    if (!key.startsWith(appArmorContainer)) continue;
    const name = key.slice(appArmorContainer.length);
    if (!names.has(name)) yield at.key(key).invalid(name, "container not found");
    if (!/^(?:|runtime\/default|unconfined|localhost\/.*)$/s.test(value)) {
      yield at.key(key).invalid(value, `invalid AppArmor profile name: ${JSON.stringify(value)}`);
    }
  }
}

function isInt32(text: string): boolean {
  if (!/^(?:0|[-+]?[1-9][0-9]*|-?0)$/.test(text) || text.startsWith("+")) return false;
  const value = Number(text);
  return value >= -(2 ** 31) && value < 2 ** 31;
}

function* seccompProfile(at: Path, profile: string): Issues {
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return;
  if (profile.startsWith("localhost/")) yield* descendingPath(at, profile.slice("localhost/".length));
  else yield at.invalid(profile, "must be a valid seccomp profile");
}

/** Refuses changes of annotations that must not be added, changed or removed later. */
export function* podAnnotationChanges(at: Path, pod: Annotated, old: Annotated): Issues {
  const [now, before] = [pod.metadata.annotations ?? {}, old.metadata.annotations ?? {}];
  for (const key of Object.keys({ ...before, ...now })) {
    if (own(now, key) === own(before, key)) continue;
    const change = Object.hasOwn(before, key) ? "remove or update" : "add";
    if (key.startsWith(appArmorContainer)) yield at.key(key).forbidden(`may not ${change} AppArmor annotations`);
    if (key === mirrorAnnotation) yield at.key(key).forbidden(`may not ${change} mirror pod annotation`);
  }
  yield* podAnnotations(at, pod.metadata.annotations, pod.spec);
}
