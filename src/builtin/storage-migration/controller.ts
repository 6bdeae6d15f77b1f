/**
 * The storage version migrator: writes each object of a resource again, so that it is stored in the version that the
 * server stores today, and tells custom kinds that no other version is stored.
 */
import {
  compareRevisions,
  isConflict,
  type KubeObject,
  parseTime,
  type ResourceType,
  StatusError,
  StorageVersionMigration,
} from "../../api/index.js";
import { type Client, type DiscoveredResource, isConnectionFailure } from "../../client/index.js";
import type { KeyRun } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { serverWords } from "../pods/pod-control.js";
import { markBegin, markEnd } from "./definitions.js";
import { failed, migrationStep, resourceOf, succeeded } from "./plan.js";

const fieldManager = "storage-version-migrator-controller";
const neededVerbs = ["update", "patch", "list"] as const;

/** A custom kind may be so new that discovery does not show it yet. */
const discoveryMs = 60_000;

type Status = NonNullable<StorageVersionMigration["status"]>;

export function storageVersionMigrator(context: ControllerContext): BuiltInController {
  const { client, clock } = context;
  const migrations = context.informers.informer(StorageVersionMigration);
  const loop = objectLoop(context, migrations, { name: "svm", workers: 5, awaits: [migrations], sync });
  loop.watch(migrations, ({ object }, wake) => {
    // the end of one is the turn of the next
    for (const other of migrations.indexer.list()) {
      if (resourceOf(other) === resourceOf(object)) wake(other.metadata.name);
    }
    wake(object.metadata.name);
  });

  async function sync(migration: StorageVersionMigration, run: KeyRun): Promise<void> {
    const next = await nextStatus(migration, run);
    if (next === undefined) return;
    await run.client.resource(StorageVersionMigration).status.update({ ...migration, status: next });
  }

  /** Does the next step of a migration; gives its status after it. */
  async function nextStatus(migration: StorageVersionMigration, run: KeyRun): Promise<Status | undefined> {
    const { status = {} } = migration;
    const step = migrationStep(migration, migrations.indexer.list(), clock.now());
    switch (step.type) {
      case "none":
        return undefined;
      case "start":
        await markBegin(run, migration);
        return step.status;
      case "end":
        await markEnd(run, migration, step.succeeded);
        return step.status;
      case "resolve":
        return resolved(client, migration, run);
      case "migrate": {
        const type = await findType(client, migration, run.signal);
        const missing = "unable to obtain GVR from discovery";
        const problem = type === undefined ? missing : await rewrite(client, { type, upTo: step.upTo }, run);
        if (problem === undefined) return succeeded(status, clock.now());
        return failed(status, `migration encountered unhandled error: ${problem}`, clock.now());
      }
    }
  }

  return { loops: [loop] };
}

/** The status with the revision up to which objects have to be written, or with the reason why they cannot be. */
async function resolved(client: Client, migration: StorageVersionMigration, run: KeyRun): Promise<Status> {
  const { status = {}, metadata } = migration;
  const { signal } = run;
  const now = run.clock.now();
  const type = await findType(client, migration, signal);
  if (type === undefined) {
    if (now < parseTime(metadata.creationTimestamp ?? "") + discoveryMs) {
      throw new Error(`the server does not know the resource ${resourceOf(migration)}`);
    }
    return failed(status, "resource does not exist in discovery", now);
  }
  const { group, version, plural, verbs } = type;
  if (!neededVerbs.every((verb) => verbs.includes(verb))) {
    const what = `${group}/${version}, Resource=${plural}`;
    const why = `resource "${what}" does not support discovery operations: [${neededVerbs.join(" ")}]`;
    return failed(status, why, now);
  }
  const { metadata: list } = await client.metadata(type).list({ limit: 1, signal });
  return { ...status, resourceVersion: list.resourceVersion ?? "" };
}

async function findType(
  { discovery }: Client,
  { spec }: StorageVersionMigration,
  signal: AbortSignal,
): Promise<DiscoveredResource | undefined> {
  const { group = "", resource = "" } = spec?.resource ?? {};
  discovery.invalidate();
  const { resources } = await discovery.all({ signal });
  return resources.find((one) => one.group === group && one.plural === resource);
}

/** Writes the objects up to a revision. Gives the error of one that cannot be written. */
async function rewrite(
  client: Client,
  { type, upTo }: { readonly type: ResourceType; readonly upTo: string },
  run: KeyRun,
): Promise<string | undefined> {
  const { items } = await client.metadata(type).list({ signal: run.signal });
  const old = items.filter(({ metadata }) => compareRevisions(metadata.resourceVersion ?? "", upTo) <= 0);
  for (const { metadata } of old) {
    const { name, namespace, uid, resourceVersion } = metadata;
    const resource = run.client.resource(
      type as ResourceType<KubeObject>,
      namespace === undefined ? {} : { namespace },
    );
    try {
      await resource.apply({ metadata: { name, uid, resourceVersion } } as never, { fieldManager });
    } catch (error) {
      // an object that was changed or deleted meanwhile needs no migration
      if (isConflict(error)) continue;
      if (run.signal.aborted || isPassing(error)) throw error;
      return serverWords(error);
    }
  }
  return undefined;
}

/** Whether the write may succeed later. */
const isPassing = (error: unknown): boolean =>
  isConnectionFailure(error) || (error instanceof StatusError && [429, 500, 503, 504].includes(error.code));
