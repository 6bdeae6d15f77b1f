/** How controllers write the status of their objects. */
import type { KubeObject, ResourceType } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";

/** A zero is absent on the wire; a status that says it would never equal the stored one. */
export function unlessZero<Name extends string>(name: Name, count: number): Partial<Record<Name, number>> {
  return count === 0 ? {} : ({ [name]: count } as Record<Name, number>);
}

export interface StatusWrite<T extends KubeObject> {
  readonly client: WorkClient;
  readonly type: ResourceType<T>;
  readonly object: T;
  /** The object with the status that is to be written; the generation in it stays the one that was acted upon. */
  withStatus(object: T): T;
}

/** One more try after a failed write, on the object as it is then. */
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
