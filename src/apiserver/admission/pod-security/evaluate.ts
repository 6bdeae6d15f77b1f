/** The checks of each level in each version of Kubernetes, in the order in which objections are named. Pure. */
import { lookup } from "../../../base/members.js";
import type { ObjectMeta, PodSpec } from "../../../api/index.js";
import * as baseline from "./baseline.js";
import type { LevelVersion } from "./policy.js";
import * as restricted from "./restricted.js";
import type { Objection } from "./words.js";

type Check = (spec: PodSpec, annotations: Readonly<Record<string, string>>) => Objection | undefined;

/** The forms of a check, each with the minor version since which it holds, oldest first. */
type Forms = readonly (readonly [minor: number, check: Check])[];

const { first, since27, since29, since32 } = baseline.safeSysctls;

const baselineChecks: Readonly<Record<string, Forms>> = lookup({
  appArmorProfile: [[0, baseline.appArmor]],
  capabilities_baseline: [[0, baseline.capabilities]],
  hostNamespaces: [[0, baseline.hostNamespaces]],
  hostPathVolumes: [[0, baseline.hostPaths]],
  hostPorts: [[0, baseline.hostPorts]],
  hostProbesAndHostLifecycle: [[34, baseline.probeHosts]],
  privileged: [[0, baseline.privileged]],
  procMount: [
    [0, baseline.procMounts],
    [35, restricted.exceptOwnUsers(baseline.procMounts)],
  ],
  seLinuxOptions: [
    [0, baseline.seLinux([])],
    [31, baseline.seLinux(["container_engine_t"])],
  ],
  seccompProfile_baseline: [
    [0, baseline.seccompNotes],
    [19, baseline.seccomp],
  ],
  sysctls: [
    [0, baseline.sysctls(first)],
    [27, baseline.sysctls(first, since27)],
    [29, baseline.sysctls(first, since27, since29)],
    [32, baseline.sysctls(first, since27, since29, since32)],
  ],
  windowsHostProcess: [[0, baseline.hostProcesses]],
});

const restrictedChecks: Readonly<Record<string, Forms>> = lookup({
  allowPrivilegeEscalation: [
    [8, restricted.escalation],
    [25, restricted.exceptWindows(restricted.escalation)],
  ],
  capabilities_restricted: [
    [22, restricted.droppedCapabilities],
    [25, restricted.exceptWindows(restricted.droppedCapabilities)],
  ],
  procMount_restricted: [[35, baseline.procMounts]],
  restrictedVolumes: [[0, restricted.volumeTypes]],
  runAsNonRoot: [
    [0, restricted.nonRoot],
    [35, restricted.exceptOwnUsers(restricted.nonRoot)],
  ],
  runAsUser: [
    [23, restricted.rootUser],
    [35, restricted.exceptOwnUsers(restricted.rootUser)],
  ],
  seccompProfile_restricted: [
    [19, restricted.seccompRequired],
    [25, restricted.exceptWindows(restricted.seccompRequired)],
  ],
});

/** Baseline checks, each with the restricted check that replaces it once that holds. */
const replacements: Readonly<Record<string, string>> = lookup({
  capabilities_baseline: "capabilities_restricted",
  procMount: "procMount_restricted",
  hostPathVolumes: "restrictedVolumes",
  seccompProfile_baseline: "seccompProfile_restricted",
});

/** The last minor version that changed a check: later ones behave like it. */
const newest = Math.max(
  ...[...Object.values(baselineChecks), ...Object.values(restrictedChecks)].flat().map(([from]) => from),
);

/** Baseline checks first, then restricted ones, each by name. */
function choose(level: LevelVersion["level"], minor: number): readonly Check[] {
  const chosen = new Map<string, Check>();
  for (const [name, forms] of Object.entries({ ...baselineChecks, ...(level === "restricted" && restrictedChecks) })) {
    const check = forms.findLast(([from]) => from <= minor)?.[1];
    if (check !== undefined) chosen.set(name, check);
  }
  return [...chosen].filter(([name]) => !chosen.has(replacements[name] ?? "")).map(([, check]) => check);
}

const byMinor = (level: LevelVersion["level"]): readonly (readonly Check[])[] =>
  Array.from({ length: newest + 1 }, (_, minor) => choose(level, minor));

/** The checks of each level, by minor version. */
const checksOf: Readonly<Record<LevelVersion["level"], readonly (readonly Check[])[]>> = {
  privileged: [],
  baseline: byMinor("baseline"),
  restricted: byMinor("restricted"),
};

function checksFor({ level, minor = newest }: LevelVersion): readonly Check[] {
  return checksOf[level][Math.min(minor, newest)] ?? [];
}

export function objections(level: LevelVersion, metadata: Partial<ObjectMeta>, spec: PodSpec): readonly Objection[] {
  if (level.level === "privileged") return [];
  return checksFor(level).flatMap((check) => check(spec, metadata.annotations ?? {}) ?? []);
}

export const printObjections = (found: readonly Objection[]): string =>
  found.map(({ reason, details }) => (details === "" ? reason : `${reason} (${details})`)).join(", ");
