/** The checks of each level in each version of Kubernetes, in the order in which objections are named. Pure. */
import { lookup } from "../../../base/members.js";
import type { ObjectMeta, PodSpec } from "../../../api/index.js";
import * as baseline from "./baseline.js";
import type { LevelVersion } from "./policy.js";
import * as restricted from "./restricted.js";
import type { Objection } from "./words.js";

type Check = (spec: PodSpec, annotations: Readonly<Record<string, string>>) => Objection | undefined;

interface Checks {
  readonly level: "baseline" | "restricted";
  /** The forms of the check, each with the minor version since which it holds, oldest first. */
  readonly since: readonly (readonly [minor: number, check: Check])[];
  /** The name of the baseline check that this check replaces. */
  readonly instead?: string;
}

const { first, since27, since29, since32 } = baseline.safeSysctls;

/** Baseline checks first, then restricted ones, each by name. */
const checks: Readonly<Record<string, Checks>> = lookup({
  appArmorProfile: { level: "baseline", since: [[0, baseline.appArmor]] },
  capabilities_baseline: { level: "baseline", since: [[0, baseline.capabilities]] },
  hostNamespaces: { level: "baseline", since: [[0, baseline.hostNamespaces]] },
  hostPathVolumes: { level: "baseline", since: [[0, baseline.hostPaths]] },
  hostPorts: { level: "baseline", since: [[0, baseline.hostPorts]] },
  hostProbesAndHostLifecycle: { level: "baseline", since: [[34, baseline.probeHosts]] },
  privileged: { level: "baseline", since: [[0, baseline.privileged]] },
  procMount: {
    level: "baseline",
    since: [
      [0, baseline.procMounts],
      [35, restricted.exceptOwnUsers(baseline.procMounts)],
    ],
  },
  seLinuxOptions: {
    level: "baseline",
    since: [
      [0, baseline.seLinux([])],
      [31, baseline.seLinux(["container_engine_t"])],
    ],
  },
  seccompProfile_baseline: {
    level: "baseline",
    since: [
      [0, baseline.seccompNotes],
      [19, baseline.seccomp],
    ],
  },
  sysctls: {
    level: "baseline",
    since: [
      [0, baseline.sysctls(first)],
      [27, baseline.sysctls(first, since27)],
      [29, baseline.sysctls(first, since27, since29)],
      [32, baseline.sysctls(first, since27, since29, since32)],
    ],
  },
  windowsHostProcess: { level: "baseline", since: [[0, baseline.hostProcesses]] },
  allowPrivilegeEscalation: {
    level: "restricted",
    since: [
      [8, restricted.escalation],
      [25, restricted.exceptWindows(restricted.escalation)],
    ],
  },
  capabilities_restricted: {
    level: "restricted",
    instead: "capabilities_baseline",
    since: [
      [22, restricted.droppedCapabilities],
      [25, restricted.exceptWindows(restricted.droppedCapabilities)],
    ],
  },
  procMount_restricted: { level: "restricted", instead: "procMount", since: [[35, baseline.procMounts]] },
  restrictedVolumes: { level: "restricted", instead: "hostPathVolumes", since: [[0, restricted.volumeTypes]] },
  runAsNonRoot: {
    level: "restricted",
    since: [
      [0, restricted.nonRoot],
      [35, restricted.exceptOwnUsers(restricted.nonRoot)],
    ],
  },
  runAsUser: {
    level: "restricted",
    since: [
      [23, restricted.rootUser],
      [35, restricted.exceptOwnUsers(restricted.rootUser)],
    ],
  },
  seccompProfile_restricted: {
    level: "restricted",
    instead: "seccompProfile_baseline",
    since: [
      [19, restricted.seccompRequired],
      [25, restricted.exceptWindows(restricted.seccompRequired)],
    ],
  },
});

/** The last minor version that changed a check: later ones behave like it. */
const newest = Math.max(...Object.values(checks).flatMap(({ since }) => since.map(([from]) => from)));

function choose(level: LevelVersion["level"], minor: number): readonly Check[] {
  const current = Object.entries(checks).flatMap(([name, { since, ...rest }]) => {
    const check = since.findLast(([from]) => from <= minor)?.[1];
    const counts = rest.level === "baseline" || level === "restricted";
    return check !== undefined && counts ? [{ name, check, ...rest }] : [];
  });
  const replaced = new Set(current.map(({ instead }) => instead));
  return current.filter(({ name }) => !replaced.has(name)).map(({ check }) => check);
}

const byMinor = (level: LevelVersion["level"]): readonly (readonly Check[])[] =>
  Array.from({ length: newest + 1 }, (_, minor) => choose(level, minor));

/** The checks of each level, by minor version. */
const chosen: Readonly<Record<LevelVersion["level"], readonly (readonly Check[])[]>> = {
  privileged: [],
  baseline: byMinor("baseline"),
  restricted: byMinor("restricted"),
};

function checksFor({ level, minor = newest }: LevelVersion): readonly Check[] {
  return chosen[level][Math.min(minor, newest)] ?? [];
}

export function objections(level: LevelVersion, metadata: Partial<ObjectMeta>, spec: PodSpec): readonly Objection[] {
  if (level.level === "privileged") return [];
  return checksFor(level).flatMap((check) => check(spec, metadata.annotations ?? {}) ?? []);
}

export const printObjections = (found: readonly Objection[]): string =>
  found.map(({ reason, details }) => (details === "" ? reason : `${reason} (${details})`)).join(", ");
