/** Kinds that a server may lack, because it is older than they are or has them switched off. */
import { resourceKey, type ResourceType } from "../api/index.js";
import type { Client } from "../client/index.js";

/** The given kinds that the server does not serve. A kind of a group that could not be asked about counts as served. */
export async function unservedKinds(
  client: Pick<Client, "discovery">,
  kinds: readonly ResourceType[],
  signal: AbortSignal,
): Promise<readonly ResourceType[]> {
  const { resources, failures } = await client.discovery.all({ signal });
  const served = new Set(resources.map(resourceKey));
  const unknown = new Set(failures.map(({ apiVersion }) => apiVersion));
  return kinds.filter((kind) => !served.has(resourceKey(kind)) && !unknown.has(`${kind.group}/${kind.version}`));
}
