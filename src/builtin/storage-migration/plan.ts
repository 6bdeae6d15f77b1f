/** Decides about one StorageVersionMigration: its turn, its next step and its end. Pure. */
import {
  type Condition,
  findCondition,
  formatTime,
  isConditionTrue,
  type StorageVersionMigration,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";

type Status = NonNullable<StorageVersionMigration["status"]>;

export type MigrationStep =
  /** It is over, or another migration of the resource comes first. */
  | { readonly type: "none" }
  | { readonly type: "start"; readonly status: Status }
  /** Objects that were written before a revision are written again: first it has to be found. */
  | { readonly type: "resolve" }
  | { readonly type: "migrate"; readonly upTo: string }
  | { readonly type: "end"; readonly status: Status; readonly succeeded: boolean };

const isTrue = ({ status }: StorageVersionMigration, type: string): boolean =>
  isConditionTrue(status?.conditions, type);

const isOver = (migration: StorageVersionMigration): boolean =>
  isTrue(migration, "Succeeded") || isTrue(migration, "Failed");

/** The name of the resource, as definitions have it. */
export const resourceOf = ({ spec }: StorageVersionMigration): string => {
  const { group = "", resource = "" } = spec?.resource ?? {};
  return group === "" ? resource : `${resource}.${group}`;
};

/** `all` contains the migration itself. */
export function migrationStep(
  migration: StorageVersionMigration,
  all: readonly StorageVersionMigration[],
  now: number,
): MigrationStep {
  const { status = {} } = migration;
  const isRunning = isTrue(migration, "Running");
  if (isOver(migration)) {
    if (!isRunning) return { type: "none" };
    const ended: Condition = {
      type: "Running",
      status: "False",
      reason: "MigrationCompleted",
      message: "Migration completed",
      lastTransitionTime: formatTime(now),
      ...defined({ observedGeneration: migration.metadata.generation }),
    };
    const conditions = (status.conditions ?? []).map((one) => (one.type === "Running" ? ended : one));
    return { type: "end", status: { ...status, conditions }, succeeded: isTrue(migration, "Succeeded") };
  }
  if (!isRunning) {
    if (!isNext(migration, all)) return { type: "none" };
    const reason = "MigrationRunning";
    const message = "The migration is running";
    return { type: "start", status: withCondition(status, { type: "Running", reason, message }, now) };
  }
  const { resourceVersion = "" } = status;
  return resourceVersion === "" ? { type: "resolve" } : { type: "migrate", upTo: resourceVersion };
}

/** One migration of a resource runs at a time, the oldest first. */
function isNext(migration: StorageVersionMigration, all: readonly StorageVersionMigration[]): boolean {
  const rivals = all.filter((one) => resourceOf(one) === resourceOf(migration) && !isOver(one));
  if (rivals.some((one) => isTrue(one, "Running"))) return false;
  const order = ({ metadata }: StorageVersionMigration): string =>
    `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
  return rivals.every((one) => order(migration) <= order(one));
}

export const succeeded = (status: Status, now: number): Status =>
  withCondition(status, { type: "Succeeded", reason: "StorageVersionMigrationSucceeded", message: "" }, now);

export const failed = (status: Status, message: string, now: number): Status =>
  withCondition(status, { type: "Failed", reason: "StorageVersionMigrationFailed", message }, now);

function withCondition(
  status: Status,
  { type, reason, message }: { readonly type: string; readonly reason: string; readonly message: string },
  now: number,
): Status {
  const known = status.conditions ?? [];
  if (findCondition(known, type) !== undefined) return status;
  const added: Condition = { type, status: "True", reason, message, lastTransitionTime: formatTime(now) };
  return { ...status, conditions: [...known, added] };
}
