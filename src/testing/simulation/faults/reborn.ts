/** Objects that are deleted and made again. Takes an object; gives it as its author would write it again. */
import type { KubeObject } from "../../../api/index.js";
import { defined } from "../../../base/defined.js";
import { lookup } from "../../../base/members.js";
import { describePlace, type Place, type Somebody } from "../fault.js";

/** The controller that deletes the objects whose owners are gone. */
export const collector = "garbage-collector-controller";

/** For this time an operator that has not seen the end of the owner may make its objects again. */
const lastsSeconds = 10;

/** Deletes the operator's objects of which the object was the only owner, and theirs, as the collector would. */
export async function collect(user: Somebody, owner: KubeObject, created: readonly Place[]): Promise<void> {
  const uids = new Set([owner.metadata.uid]);
  for (let second = 0; second < lastsSeconds; second++) {
    // children stand behind their owners in the order of their creation
    for (const place of created) {
      const child = await user.read(place);
      const owners = child?.metadata.ownerReferences ?? [];
      if (child === undefined || owners.length === 0 || !owners.every(({ uid }) => uids.has(uid))) continue;
      uids.add(child.metadata.uid);
      await user.remove(place);
    }
    await user.sleep(1_000);
  }
}

/** The number of looks at an object that is awaited. */
export const mostWaits = 600;

/** Resolves when the object is gone. */
export async function gone(user: Somebody, place: Place): Promise<void> {
  for (let waits = 0; (await user.read(place)) !== undefined; waits++) {
    if (waits > mostWaits) throw new Error(`${describePlace(place)} does not go away`);
    await user.sleep(1_000);
  }
}

type Tree = { readonly [member: string]: unknown };

const without = (tree: unknown, members: readonly string[]): Tree =>
  Object.fromEntries(Object.entries((tree ?? {}) as Tree).filter(([member]) => !members.includes(member)));

/** Labels that a Job's pods get from the server. */
const jobLabels = ["controller-uid", "job-name"].flatMap((name) => [name, `batch.kubernetes.io/${name}`]);

/** For kinds in whose `spec` the cluster writes facts about the one object, such as its address: the `spec` without these. */
const ofAuthors: Readonly<Record<string, (spec: Tree) => Tree>> = lookup({
  Job(spec: Tree) {
    if (spec["manualSelector"] === true) return spec;
    const template = (spec["template"] ?? {}) as Tree;
    const metadata = (template["metadata"] ?? {}) as Tree;
    const labels = without(metadata["labels"], jobLabels);
    return { ...without(spec, ["selector"]), template: { ...template, metadata: { ...metadata, labels } } };
  },
  Service: (spec: Tree) => (spec["clusterIP"] === "None" ? spec : without(spec, ["clusterIP", "clusterIPs"])),
  PersistentVolumeClaim: (spec: Tree) => without(spec, ["volumeName"]),
  Pod: (spec: Tree) => without(spec, ["nodeName"]),
});

/** The object as its author would write it again. */
export function reborn(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  const { name, namespace, labels, annotations } = metadata;
  // written by the volume binder when it binds the claim that is gone
  const kept = without(annotations, ["pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller"]);
  const { status: _, spec, ...members } = rest as { readonly status?: unknown; readonly spec?: Tree };
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...defined({ namespace: namespace || undefined }),
      ...(labels && { labels: kind === "Job" ? without(labels, jobLabels) : labels }),
      ...(annotations && { annotations: kept }),
    },
    ...members,
    ...(spec && { spec: ofAuthors[kind]?.(spec) ?? spec }),
  } as KubeObject;
}
