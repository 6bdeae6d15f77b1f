/** Faults of other users who delete an object of the scenario, its namespace or its definition, and make it again. */
import { isConditionTrue, isDeleting, type KubeObject } from "../../../api/index.js";
import { lookup } from "../../../base/members.js";
import { chosen, describePlace, type FaultKind, type Place, placeNamed, type Somebody } from "../fault.js";
import { defined } from "../../../base/defined.js";

const definitionKind = "CustomResourceDefinition";
const collector = "garbage-collector-controller";

export const ownerRecreated: FaultKind = {
  name: "owner-recreated",
  about: "Somebody deletes an object of the scenario and makes it again under the same name, with another uid.",
  needs: collector,
  strikesOn: ["time"],
  strike({ choice }, { asked, somebody }) {
    somebody(
      "deletes an object of the scenario and makes it again",
      async (user) => {
        const place = chosen(
          asked.filter(({ kind }) => kind !== definitionKind && kind !== "Namespace"),
          choice,
        );
        const object = place && (await user.read(place));
        if (place === undefined || object === undefined || isDeleting(object)) return;
        await user.remove(place);
        await gone(user, place);
        await user.create(reborn(object));
      },
      { afterScenario: true },
    );
    return undefined;
  },
};

/** The namespaces that the scenario made: in those of the set-up there may be objects that nobody would make again. */
const namespacesOf = (asked: readonly Place[]): readonly string[] =>
  asked.filter(({ kind }) => kind === "Namespace").map(({ name }) => name);

export const namespaceRecreated: FaultKind = {
  name: "namespace-recreated",
  about: "Somebody deletes a namespace with everything in it, and makes it and the objects of the scenario again.",
  needs: "namespace-controller",
  fits: ({ asked }) => namespacesOf(asked).length > 0,
  strikesOn: ["time"],
  strike({ choice }, { asked, somebody }) {
    somebody(
      "deletes a namespace and makes it again",
      async (user) => {
        const name = chosen(namespacesOf(asked), choice);
        if (name === undefined) return;
        const place = { apiVersion: "v1", kind: "Namespace", namespace: "", name };
        await removedAndMadeAgain(
          user,
          place,
          asked.filter(({ namespace }) => namespace === name),
        );
      },
      { afterScenario: true },
    );
    return undefined;
  },
};

export const definitionRecreated: FaultKind = {
  name: "definition-recreated",
  about:
    "Somebody removes the definition of a kind with all its objects, and installs it and the scenario's objects again.",
  needs: collector,
  fits: ({ asked, created }) => [...asked, ...created].some(({ kind }) => kind === definitionKind),
  strikesOn: ["time"],
  strike({ choice }, { asked, created, somebody }) {
    somebody(
      "removes a definition and installs it again",
      async (user) => {
        const place = chosen(
          [...asked, ...created].filter(({ kind }) => kind === definitionKind),
          choice,
        );
        const definition = place && ((await user.read(place)) as Definition | undefined);
        if (place === undefined || definition === undefined) return;
        const { group, names, versions } = definition.spec;
        const all = await user.list({ apiVersion: `${group}/${versions[0]?.name ?? "v1"}`, kind: names.kind });
        const isOperators = (object: KubeObject): boolean =>
          created.some((one) => describePlace(one) === describePlace(placeNamed(object)));
        await removedAndMadeAgain(user, place, all.filter((object) => !isOperators(object)).map(placeNamed));
      },
      { afterScenario: true },
    );
    return undefined;
  },
};

interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string }[];
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function removedAndMadeAgain(user: Somebody, place: Place, content: readonly Place[]): Promise<void> {
  const container = await user.read(place);
  if (container === undefined || isDeleting(container)) return;
  const objects: KubeObject[] = [];
  for (const one of content) {
    const object = await user.read(one);
    if (object !== undefined && !isDeleting(object)) objects.push(object);
  }
  await user.remove(place);
  await gone(user, place);
  await user.create(reborn(container));
  if (place.kind === definitionKind) await established(user, place);
  const made = new Set<string>();
  for (const object of objects) {
    const name = describePlace(placeNamed(object));
    if (!made.has(name)) await user.create(reborn(object));
    made.add(name);
  }
}

const mostWaits = 600;

async function gone(user: Somebody, place: Place): Promise<void> {
  for (let waits = 0; (await user.read(place)) !== undefined; waits++) {
    if (waits > mostWaits) throw new Error(`${describePlace(place)} does not go away`);
    await user.sleep(1_000);
  }
}

async function established(user: Somebody, place: Place): Promise<void> {
  for (let waits = 0; waits < mostWaits; waits++) {
    const { status } = ((await user.read(place)) ?? {}) as Partial<Definition>;
    if (isConditionTrue(status?.conditions, "Established")) return;
    await user.sleep(100);
  }
  throw new Error(`${describePlace(place)} is not established`);
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
function reborn(object: KubeObject): KubeObject {
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
