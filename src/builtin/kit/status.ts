/** Writes the status of a controller's object, unless it is there already. */
import { deepEqual, isConflict, type KubeObject, type ResourceType } from "../../api/index.js";
import { retryOnConflict, type WorkClient } from "../../client/index.js";
import type { KeyRun } from "../../controller/index.js";

/** The numbers without zeros, which are absent on the wire: a status that contained one would never equal the stored one. */
export function nonZero<Name extends string>(numbers: Readonly<Record<Name, number>>): Partial<Record<Name, number>> {
  return Object.fromEntries(Object.entries(numbers).filter(([, number]) => number !== 0)) as Record<Name, number>;
}

/** Writes the status unless the object has it; gives the object as it is then. */
export async function ensureStatus<T extends KubeObject & { readonly status?: object }>(
  client: WorkClient,
  type: ResourceType<T>,
  object: T,
  status: NonNullable<T["status"]>,
): Promise<T> {
  if (deepEqual(object.status ?? {}, status)) return object;
  return client.resource(type).status.update({ ...object, status });
}

/** Calls `write` with the object; after a conflict, again with the object as the server has it by then. */
export function retryFresh<T extends KubeObject, R>(
  type: ResourceType<T>,
  object: T,
  write: (current: T) => Promise<R>,
  run: Pick<KeyRun, "client" | "clock" | "random" | "signal">,
): Promise<R> {
  let current = object;
  return retryOnConflict(async () => {
    try {
      return await write(current);
    } catch (error) {
      if (isConflict(error)) current = await run.client.resource(type).get(object.metadata);
      throw error;
    }
  }, run);
}

export interface StatusWrite<T extends KubeObject> {
  readonly client: WorkClient;
  readonly type: ResourceType<T>;
  readonly object: T;
  /** The object with the status to write; its `observedGeneration` stays the generation that was acted upon. */
  withStatus(object: T): T;
}

/** Writes the status; after a failed write, reads the object again and tries once more. */
export async function writeStatus<T extends KubeObject>(write: StatusWrite<T>): Promise<T> {
  const { client, type, object, withStatus } = write;
  const resource = client.resource(type);
  try {
    return await resource.status.update(withStatus(object));
  } catch {
    const live = await resource.get(object.metadata);
    return resource.status.update(withStatus(live));
  }
}
