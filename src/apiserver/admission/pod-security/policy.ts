/** Reads the pod security policy of a namespace from its labels; defaults stand in for absent ones. */
import { fieldPath, type StatusCause } from "../../../api/index.js";

export type SecurityLevel = "privileged" | "baseline" | "restricted";

/** `minor` is the minor version of Kubernetes 1; undefined for the latest. */
export interface LevelVersion {
  readonly level: SecurityLevel;
  readonly minor: number | undefined;
}

/** The levels of a namespace. */
export interface SecurityPolicy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

/** From the least to the most strict. */
export const levels: readonly SecurityLevel[] = ["privileged", "baseline", "restricted"];
const isLevel = (text: string): text is SecurityLevel => (levels as readonly string[]).includes(text);
/** The settings of the plug-in. */
export interface PodSecuritySettings {
  readonly defaults: SecurityPolicy;
  /** Requests that are not judged. */
  readonly exempt: {
    readonly namespaces: ReadonlySet<string>;
    readonly users: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };
}

/** Of labels, and of annotations of audit events. */
export const prefix = "pod-security.kubernetes.io/";
const free: LevelVersion = { level: "privileged", minor: undefined };
export const freePolicy: SecurityPolicy = { enforce: free, audit: free, warn: free };

export const strictness = (level: SecurityLevel): number => levels.indexOf(level);

export const isFree = ({ enforce, audit, warn }: SecurityPolicy): boolean =>
  [enforce, audit, warn].every(({ level }) => level === "privileged");

export function printLevel({ level, minor }: LevelVersion): string {
  return `${level}:${minor === undefined ? "latest" : `v1.${minor}`}`;
}

/** The minor version that a text names; undefined for the latest, null for none. */
export function minorOf(version: string): number | undefined | null {
  const minor = /^v1\.(\d|[1-9]\d*)$/.exec(version)?.[1];
  if (minor !== undefined) return Number(minor);
  return version === "latest" ? undefined : null;
}

/** `defaults` stand in for absent labels. A malformed level is enforced as the strictest, and neither audited nor warned of. */
export function policyOf(
  labels: Readonly<Record<string, string>> | undefined,
  defaults: SecurityPolicy,
): { readonly policy: SecurityPolicy; readonly problems: readonly StatusCause[] } {
  if (labels === undefined || !Object.keys(labels).some((label) => label.startsWith(prefix)))
    return { policy: defaults, problems: [] };
  const problems: StatusCause[] = [];
  const complain = (label: string, why: string): void => {
    problems.push(fieldPath("metadata", "labels").key(label).invalid(labels[label], why));
  };
  const read = (mode: "enforce" | "audit" | "warn", otherwise: SecurityLevel): LevelVersion => {
    const { [`${prefix}${mode}`]: level, [`${prefix}${mode}-version`]: version } = labels;
    if (level !== undefined && !isLevel(level)) complain(`${prefix}${mode}`, `must be one of ${levels.join(", ")}`);
    const minor = version === undefined ? defaults[mode].minor : minorOf(version);
    if (minor === null) complain(`${prefix}${mode}-version`, 'must be "latest" or "v1.x"');
    const known = level === undefined ? defaults[mode].level : isLevel(level) ? level : otherwise;
    return { level: known, minor: minor ?? undefined };
  };
  const enforce = read("enforce", "restricted");
  const audit = read("audit", "privileged");
  const warn = read("warn", "privileged");
  // a namespace that enforces a level without naming a warn level gets warnings about templates too
  const inherits =
    labels[`${prefix}warn`] === undefined &&
    isLevel(labels[`${prefix}enforce`] ?? "") &&
    strictness(enforce.level) > strictness(warn.level);
  const minor = labels[`${prefix}warn-version`] === undefined ? enforce.minor : warn.minor;
  return { policy: { enforce, audit, warn: inherits ? { level: enforce.level, minor } : warn }, problems };
}
