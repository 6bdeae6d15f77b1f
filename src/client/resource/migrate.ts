/** Writes every object of a custom kind again, so that all are stored in the definition's storage version. */
import { defined } from "../../base/defined.js";
import { CustomResourceDefinition } from "../../api/generated/apiextensions-v1.js";
import { isConflict, isNotFound } from "../../api/errors/status-guards.js";
import type { KubeObject } from "../../api/object.js";
import type { ResourceType, Scope } from "../../api/resource-type.js";
import type { Client } from "../client.js";

export interface MigrationOptions {
  readonly signal?: AbortSignal;
  /** Called after each object. */
  readonly onProgress?: (progress: Migration) => void;
}

export interface Migration {
  /** The objects that were written again, or that others wrote meanwhile. */
  readonly migrated: number;
  /** The objects that were gone when their turn came. */
  readonly gone: number;
  /** The version in which all are stored now. */
  readonly version: string;
  /** The versions that are no longer in `status.storedVersions`, and may leave the definition. */
  readonly forgotten: readonly string[];
}

/**
 * Takes a kind, or the name of its definition (`foos.example.com`). An update that changes nothing makes the server store
 * the object anew, converted. An object that another client changes meanwhile is stored anew by that write. At the end
 * `status.storedVersions` names the storage version alone; if the storage version was changed meanwhile, nothing is
 * forgotten and the promise rejects. Can be interrupted and begun again at any time.
 */
export async function migrateStorage(
  client: Pick<Client, "resource">,
  kind: string | Pick<ResourceType, "group" | "plural">,
  { signal, onProgress }: MigrationOptions = {},
): Promise<Migration> {
  const name = typeof kind === "string" ? kind : `${kind.plural}.${kind.group}`;
  const until = signal === undefined ? {} : { signal };
  const definitions = client.resource(CustomResourceDefinition);
  const definition = await definitions.get(name, until);
  const version = storageOf(definition);
  const objects = client.resource(typeOf(definition, version));
  let [migrated, gone] = [0, 0];
  for await (const object of objects.each(until)) {
    const outcome = await rewritten(() => objects.update(object, until));
    if (outcome === "gone") gone++;
    else migrated++;
    onProgress?.({ migrated, gone, version, forgotten: [] });
  }
  const latest = await definitions.get(name, until);
  if (storageOf(latest) !== version)
    throw new Error(`the storage version of ${name} became ${storageOf(latest)} meanwhile; begin again`);
  const forgotten = (latest.status?.storedVersions ?? []).filter((one) => one !== version);
  if (forgotten.length > 0) {
    // with the resourceVersion that was read: a storage version that changes now makes this a conflict
    const status = { ...latest.status, storedVersions: [version] } as CustomResourceDefinition["status"];
    await definitions.status.update({ ...latest, ...defined({ status }) }, until);
  }
  return { migrated, gone, version, forgotten };
}

/** A conflict means that another client has just written the object, which stored it anew. */
async function rewritten(write: () => Promise<unknown>): Promise<"written" | "gone"> {
  try {
    await write();
    return "written";
  } catch (error) {
    if (isNotFound(error)) return "gone";
    if (isConflict(error)) return "written";
    throw error;
  }
}

function storageOf({ metadata, spec }: CustomResourceDefinition): string {
  const storage = spec.versions.find((version) => version.storage);
  if (storage === undefined) throw new Error(`the definition ${metadata.name} stores no version`);
  if (!storage.served)
    throw new Error(`${metadata.name} stores ${storage.name}, which is not served, so objects cannot be written in it`);
  return storage.name;
}

function typeOf({ spec }: CustomResourceDefinition, version: string): ResourceType<KubeObject> {
  const { group, names, scope } = spec;
  const { plural, kind, singular = kind.toLowerCase(), listKind = `${kind}List` } = names;
  const more = { shortNames: [], categories: [], subresources: [] };
  return { group, version, kind, plural, singular, listKind, scope: scope as Scope, ...more };
}
