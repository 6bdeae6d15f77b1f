/** Deletes the content of a namespace and counts what remains. */
import { messageOf } from "../../base/index.js";
import { groupResourceName, isMethodNotSupported, isNotFound, Pod, unless } from "../../api/index.js";
import type { DiscoveredResource, WorkClient } from "../../client/index.js";
import { podGraceSeconds, type DeletionProgress, type Remaining } from "./plan.js";
import { repeats } from "../../base/members.js";

export interface Content extends DeletionProgress {
  /** Seconds after which another look makes sense; 0 if nothing is left. */
  readonly estimateSeconds: number;
}

/** The wait, in seconds, for objects that remain because of their finalizers. */
const finalizerSeconds = 15;

interface Deleting {
  readonly client: WorkClient;
  readonly namespace: string;
  readonly deletedForSeconds: number;
  readonly signal: AbortSignal;
}

/** Pods are deleted first and alone: the objects that they use must not vanish before they have ended. */
export async function deleteContent(deleting: Deleting): Promise<Content> {
  const { client, namespace, deletedForSeconds, signal } = deleting;
  client.discovery.invalidate();
  const discovered = await client.discovery.all({ signal });
  const resources = preferred(discovered.resources);
  const discoveryFailures = discovered.failures.map(({ apiVersion, error }) => `${apiVersion}: ${error.message}`);
  const isPods = ({ group, plural }: DiscoveredResource): boolean => group === "" && plural === "pods";
  const contentFailures: string[] = [];
  const remaining: Remaining[] = [];
  let estimateSeconds = 0;
  const remove = async (resource: DiscoveredResource, graceSeconds = 0): Promise<void> => {
    try {
      const left = await deleteAll(resource, deleting);
      if (left.count === 0) return;
      remaining.push(left);
      const seconds = graceSeconds || (left.finalizers.size > 0 ? finalizerSeconds : 0);
      estimateSeconds = Math.max(estimateSeconds, seconds);
      // a resource whose objects neither need time nor have finalizers should be empty
      if (seconds === 0) contentFailures.push(unexpected(resource, namespace));
    } catch (error) {
      if (signal.aborted) throw error;
      contentFailures.push(messageOf(error));
    }
  };
  const podsBefore = (await client.resource(Pod, { namespace }).list({ signal })).items;
  const graceSeconds = podGraceSeconds(podsBefore, deletedForSeconds);
  await Promise.all(resources.filter(isPods).map((pods) => remove(pods, graceSeconds)));
  if (remaining.length === 0)
    await inTurns(
      resources.filter((resource) => !isPods(resource)),
      remove,
    );
  return { remaining, discoveryFailures, contentFailures, estimateSeconds };
}

const unexpected = ({ group, version, plural }: DiscoveredResource, namespace: string): string =>
  `unexpected items still remain in namespace: ${namespace} for gvr: ${group}/${version}, Resource=${plural}`;

/** Ten at a time: a namespace may hold hundreds of kinds, and the server has other clients to serve. */
async function inTurns(
  resources: readonly DiscoveredResource[],
  remove: (resource: DiscoveredResource) => Promise<void>,
): Promise<void> {
  for (let i = 0; i < resources.length; i += 10) await Promise.all(resources.slice(i, i + 10).map(remove));
}

/** One version of each resource, and only resources that can be deleted. */
function preferred(resources: readonly DiscoveredResource[]): readonly DiscoveredResource[] {
  const isRepeat = repeats();
  return resources.filter(
    ({ group, plural, scope, verbs }) =>
      scope === "Namespaced" && verbs.includes("delete") && verbs.includes("list") && !isRepeat(`${group}/${plural}`),
  );
}

async function deleteAll(type: DiscoveredResource, { client, namespace, signal }: Deleting): Promise<Remaining> {
  const resource = client.resource(type, { namespace });
  const metadata = client.metadata(type, { namespace });
  const propagationPolicy = "Background";
  const name = `${groupResourceName({ group: type.group, resource: type.plural })}${type.group === "" ? "." : ""}`;
  try {
    if (type.verbs.includes("deletecollection")) await resource.deleteCollection({ propagationPolicy, signal });
    else {
      for (const object of (await metadata.list({ signal })).items) {
        await resource.delete(object.metadata, { propagationPolicy, signal }).catch(unless(isNotFound));
      }
    }
    const { items } = await metadata.list({ signal });
    const finalizers = new Map<string, number>();
    for (const { metadata: meta } of items) {
      for (const finalizer of meta.finalizers ?? []) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
    }
    return { resource: name, count: items.length, finalizers };
  } catch (error) {
    // a kind that was removed, or lacks the verb, holds nothing
    if (isNotFound(error) || isMethodNotSupported(error)) return { resource: name, count: 0, finalizers: new Map() };
    throw error;
  }
}
