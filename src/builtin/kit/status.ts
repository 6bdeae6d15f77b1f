/** How controllers write the status of their objects. */
import type { KubeObject, ResourceType } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";

/** The numbers without zeros, which are absent on the wire: a status that contained one would never equal the stored one. */
export function nonZero<Name extends string>(numbers: Readonly<Record<Name, number>>): Partial<Record<Name, number>> {
  return Object.fromEntries(Object.entries(numbers).filter(([, number]) => number !== 0)) as Record<Name, number>;
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
