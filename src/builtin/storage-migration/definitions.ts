/** Tells the definition of a custom kind of a migration, and which version is stored after it; nothing for built-in kinds. */
import {
  CustomResourceDefinition,
  findCondition,
  formatTime,
  isNotFound,
  type StorageVersionMigration,
  unless,
} from "../../api/index.js";
import type { KeyRun } from "../../controller/index.js";
import { resourceOf } from "./plan.js";

const fieldManager = "migration-runner-controller";

export async function markBegin(run: KeyRun, migration: StorageVersionMigration): Promise<void> {
  const definition = await definitionOf(run, migration);
  if (definition === undefined) return;
  const message = `Migration ${migration.metadata.name} is running`;
  await mark(run, definition, { status: "True", reason: "MigrationRunning", message });
}

/** If the definition is as it was at the begin, objects are stored in its storage version alone. */
export async function markEnd(run: KeyRun, migration: StorageVersionMigration, succeeded: boolean): Promise<void> {
  const definition = await definitionOf(run, migration);
  if (definition === undefined) return;
  if (!succeeded) {
    return mark(run, definition, { status: "False", reason: "MigrationFailed", message: "The migration has failed" });
  }
  const begin = findCondition(definition.status?.conditions, "StorageMigrating");
  const isSame = begin !== undefined && begin.observedGeneration === definition.metadata.generation;
  const storedVersion = isSame ? definition.spec.versions.find(({ storage }) => storage)?.name : undefined;
  const stored = isSame
    ? "and the stored versions have been updated"
    : "but the stored versions have not been updated due to a generation mismatch";
  const message = `The migration has succeeded ${stored}`;
  await mark(run, definition, { status: "False", reason: "MigrationSucceeded", message, storedVersion });
}

interface Mark {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  readonly storedVersion?: string | undefined;
}

async function mark(
  run: KeyRun,
  definition: CustomResourceDefinition,
  { storedVersion, ...told }: Mark,
): Promise<void> {
  const { name, resourceVersion, generation } = definition.metadata;
  const lastTransitionTime = formatTime(run.clock.now());
  const condition = { type: "StorageMigrating", ...told, lastTransitionTime, observedGeneration: generation };
  const stored = storedVersion === undefined ? {} : { storedVersions: [storedVersion] };
  // a definition that was changed meanwhile is read again in the next run
  const change = { metadata: { name, resourceVersion }, status: { conditions: [condition], ...stored } } as never;
  await run.client.resource(CustomResourceDefinition).status.apply(change, { fieldManager, force: true });
}

const definitionOf = (
  { client }: KeyRun,
  migration: StorageVersionMigration,
): Promise<CustomResourceDefinition | undefined> =>
  client.resource(CustomResourceDefinition).get(resourceOf(migration)).catch(unless(isNotFound));
