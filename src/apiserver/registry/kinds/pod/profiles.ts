/** Seccomp and AppArmor profiles that a pod names both in deprecated annotations and in fields. */
import { type AppArmorProfile, type PodSpec, semanticEqual } from "../../../../api/index.js";
import { changed, each } from "../rules/fill.js";
import type { Issues, Path } from "../rules/issues.js";
import { visitedContainers, appArmorRules } from "./validation/security.js";

export const seccompPod = "seccomp.security.alpha.kubernetes.io/pod";
export const seccompContainer = "container.seccomp.security.alpha.kubernetes.io/";
export const appArmorContainer = "container.apparmor.security.beta.kubernetes.io/";

interface Profile {
  readonly type: string;
  readonly localhostProfile?: string;
}

/** The annotation and the field must agree. */
function* sameProfile(at: Path, annotation: string | undefined, profile: Profile, of: "seccomp" | "apparmor"): Issues {
  if (annotation === undefined) return;
  const named: Readonly<Record<string, readonly string[]>> = {
    Unconfined: ["unconfined"],
    RuntimeDefault: of === "seccomp" ? ["runtime/default", "docker/default"] : ["runtime/default"],
  };
  const local = profile.type === "Localhost";
  const types = named[profile.type];
  const same = local ? annotation.startsWith("localhost/") : (types?.includes(annotation) ?? true);
  if (!same) yield at.child("type").forbidden(`${of} type in annotation and field must match`);
  else if (local && annotation.slice("localhost/".length) !== profile.localhostProfile) {
    yield at.child("localhostProfile").forbidden(`${of} profile in annotation and field must match`);
  }
}

export function* sameProfiles(at: Path, annotations: Readonly<Record<string, string>> = {}, spec: PodSpec): Issues {
  const { seccompProfile, appArmorProfile } = spec.securityContext ?? {};
  if (seccompProfile !== undefined) {
    yield* sameProfile(
      at.child("securityContext", "seccompProfile"),
      annotations[seccompPod],
      seccompProfile,
      "seccomp",
    );
  }
  const containers = visitedContainers(at, spec);
  for (const { container, path } of containers) {
    const profile = container.securityContext?.seccompProfile;
    if (profile === undefined) continue;
    const here = path.child("securityContext", "seccompProfile");
    yield* sameProfile(here, annotations[`${seccompContainer}${container.name}`], profile, "seccomp");
  }
  if (spec.os?.name === "windows") return;
  for (const { container, path } of containers) {
    const profile = container.securityContext?.appArmorProfile ?? appArmorProfile;
    if (profile === undefined) continue;
    const here = path.child("securityContext", "appArmorProfile");
    yield* sameProfile(here, annotations[`${appArmorContainer}${container.name}`], profile, "apparmor");
  }
}

export function appArmorOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const name = annotation.startsWith("localhost/") ? annotation.slice("localhost/".length) : "";
  return name === "" ? undefined : { type: "Localhost", localhostProfile: name };
}

/** Fills in fields from annotations alone, with a warning for each. */
export function withAppArmorFields(
  spec: PodSpec,
  annotations: Readonly<Record<string, string>> | undefined,
  at: { readonly annotations: Path; readonly spec: Path; warn(text: string): void },
): PodSpec {
  if (annotations === undefined || spec.os?.name === "windows") return spec;
  const common = spec.securityContext?.appArmorProfile;
  const moved = <C extends NonNullable<PodSpec["containers"]>[number]>(container: C): C => {
    const key = `${appArmorContainer}${container.name}`;
    const annotation = annotations[key];
    if (annotation === undefined || container.securityContext?.appArmorProfile) return container;
    const named = appArmorOf(annotation);
    const profile = named === undefined || [...appArmorRules(at.spec, named)].length > 0 ? undefined : named;
    if (profile !== undefined && semanticEqual(profile, common)) return container;
    at.warn(`${at.annotations.key(key)}: deprecated since v1.30; use the "appArmorProfile" field instead`);
    if (profile === undefined) return container;
    return { ...container, securityContext: { ...container.securityContext, appArmorProfile: profile } };
  };
  const started = changed(spec, "initContainers", (list) => each(list, moved));
  return changed(started, "containers", (list) => each(list, moved));
}
