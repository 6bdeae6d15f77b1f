/** Reads the pod security policy of a namespace from its labels. */
import { fieldPath, type StatusCause } from "../../../api/index.js";

export type SecurityLevel = "privileged" | "baseline" | "restricted";

/** `minor` is the minor version of Kubernetes 1; undefined for the latest. */
export interface LevelVersion {
  readonly level: SecurityLevel;
  readonly minor: number | undefined;
}

export interface SecurityPolicy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

const levels: readonly string[] = ["privileged", "baseline", "restricted"];
/** Of labels, and of annotations of audit events. */
export const prefix = "pod-security.kubernetes.io/";
const free: LevelVersion = { level: "privileged", minor: undefined };
const freePolicy: SecurityPolicy = { enforce: free, audit: free, warn: free };

export const strictness = (level: SecurityLevel): number => levels.indexOf(level);

export const isFree = ({ enforce, audit, warn }: SecurityPolicy): boolean =>
  [enforce, audit, warn].every(({ level }) => level === "privileged");

export function printLevel({ level, minor }: LevelVersion): string {
  return `${level}:${minor === undefined ? "latest" : `v1.${minor}`}`;
}

const unlabelled = { policy: freePolicy, problems: [] } as const;

/** There is always a policy: a malformed level is enforced as the strictest, and neither audited nor warned of. */
export function policyOf(labels: Readonly<Record<string, string>> | undefined): {
  readonly policy: SecurityPolicy;
  readonly problems: readonly StatusCause[];
} {
  if (labels === undefined || !Object.keys(labels).some((label) => label.startsWith(prefix))) return unlabelled;
  const problems: StatusCause[] = [];
  const complain = (label: string, why: string): void => {
    problems.push(fieldPath("metadata", "labels").key(label).invalid(labels[label], why));
  };
  const read = (mode: string, otherwise: SecurityLevel): LevelVersion & { readonly said: boolean } => {
    const level = labels[`${prefix}${mode}`];
    const known = level === undefined || levels.includes(level);
    if (!known) complain(`${prefix}${mode}`, `must be one of ${levels.join(", ")}`);
    const version = labels[`${prefix}${mode}-version`];
    const minor = version === undefined ? undefined : /^v1\.(\d|[1-9]\d*)$/.exec(version)?.[1];
    if (version !== undefined && version !== "latest" && minor === undefined) {
      complain(`${prefix}${mode}-version`, 'must be "latest" or "v1.x"');
    }
    return {
      level: level === undefined ? "privileged" : known ? (level as SecurityLevel) : otherwise,
      minor: minor === undefined ? undefined : Number(minor),
      said: level !== undefined && known,
    };
  };
  const enforce = read("enforce", "restricted");
  const audit = read("audit", "privileged");
  const warn = read("warn", "privileged");
  // a namespace that enforces a level without naming a warn level gets warnings about templates too
  const inherits =
    labels[`${prefix}warn`] === undefined && enforce.said && strictness(enforce.level) > strictness(warn.level);
  const minor = labels[`${prefix}warn-version`] === undefined ? enforce.minor : warn.minor;
  const plain = ({ level, minor: version }: LevelVersion): LevelVersion => ({ level, minor: version });
  return {
    policy: {
      enforce: plain(enforce),
      audit: plain(audit),
      warn: inherits ? { level: enforce.level, minor } : plain(warn),
    },
    problems,
  };
}
