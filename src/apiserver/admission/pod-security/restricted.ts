/** The checks of the restricted level: the fields that a hardened pod must set. */
import type { PodSpec, Volume } from "../../../api/index.js";
import { seccomp } from "./baseline.js";
import { containersNamed, containersWhere, type Objection, plural, quoted, setters, sorted } from "./words.js";

export function escalation(spec: PodSpec): Objection | undefined {
  const bad = containersWhere(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  const details = `${containersNamed(bad)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: "allowPrivilegeEscalation != false", details };
}

export function droppedCapabilities(spec: PodSpec): Objection | undefined {
  const keeping = containersWhere(spec, (one) => !one.securityContext?.capabilities?.drop?.includes("ALL"));
  const added: string[] = [];
  const adding = containersWhere(spec, ({ securityContext }) => {
    const more = (securityContext?.capabilities?.add ?? []).filter((one) => one !== "NET_BIND_SERVICE");
    for (const one of more) added.push(one);
    return more.length > 0;
  });
  const details: string[] = [];
  if (keeping.length > 0) {
    details.push(`${containersNamed(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) {
    const what = quoted(sorted(added));
    details.push(`${containersNamed(adding)} must not include ${what} in securityContext.capabilities.add`);
  }
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", details: details.join("; ") };
}

const harmlessVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const satisfies readonly (keyof Volume)[];

export function volumeTypes({ volumes = [] }: PodSpec): Objection | undefined {
  const bad = volumes.filter((volume) => harmlessVolumes.every((type) => volume[type] === undefined));
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => name);
  const types = sorted(bad.map((volume) => Object.keys(volume).find((key) => key !== "name") ?? "unknown"));
  const what = plural("restricted volume type", "restricted volume types", types);
  const details = `${plural("volume", "volumes", names)} ${quoted(names)} ${plural("uses", "use", names)} ${what} ${quoted(types)}`;
  return { reason: "restricted volume types", details };
}

export function nonRoot(spec: PodSpec): Objection | undefined {
  const reason = "runAsNonRoot != true";
  const pod = spec.securityContext?.runAsNonRoot;
  const denying = containersWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  const who = setters(pod === false, denying);
  if (who !== "") return { reason, details: `${who} must not set securityContext.runAsNonRoot=false` };
  if (pod === true) return undefined;
  const silent = containersWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return { reason, details: `pod or ${containersNamed(silent)} must set securityContext.runAsNonRoot=true` };
}

export function rootUser(spec: PodSpec): Objection | undefined {
  const bad = containersWhere(spec, ({ securityContext }) => securityContext?.runAsUser === 0);
  const who = setters(spec.securityContext?.runAsUser === 0, bad);
  return who === "" ? undefined : { reason: "runAsUser=0", details: `${who} must not set runAsUser=0` };
}

export function seccompRequired(spec: PodSpec): Objection | undefined {
  const forbidden = seccomp(spec);
  if (forbidden !== undefined) return forbidden;
  if (spec.securityContext?.seccompProfile !== undefined) return undefined;
  const silent = containersWhere(spec, ({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (silent.length === 0) return undefined;
  const details = `pod or ${containersNamed(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: "seccompProfile", details };
}

/** Skips Windows pods, which do not have the field. */
export const exceptWindows =
  (check: (spec: PodSpec) => Objection | undefined) =>
  (spec: PodSpec): Objection | undefined =>
    spec.os?.name === "windows" ? undefined : check(spec);

/** Skips pods in a user namespace, whose root has no rights outside. */
export const exceptOwnUsers =
  (check: (spec: PodSpec) => Objection | undefined) =>
  (spec: PodSpec): Objection | undefined =>
    spec.hostUsers === false ? undefined : check(spec);
