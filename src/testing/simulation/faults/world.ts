/** Faults of the world around: other users delete, change and overwrite, and the server refuses writes for a while. */
import type { KubeObject } from "../../../api/index.js";
import { chosen, type FaultKind, type Place } from "../fault.js";

const moments = ["write", "time"] as const;

const nameOf = ({ kind, namespace, name }: Place): string =>
  `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;

export const childDeleted: FaultKind = {
  name: "child-deleted",
  about: "Somebody deletes an object that the operator created.",
  strikesOn: moments,
  weight: 2,
  strike({ choice }, { created, somebody }) {
    const place = chosen(created, choice);
    if (place !== undefined) somebody(`deletes ${nameOf(place)}`, (user) => user.remove(place));
    return undefined;
  },
};

export const childChanged: FaultKind = {
  name: "child-changed",
  about: "Somebody changes a field of the desired state that the operator has set on an object that it created.",
  strikesOn: moments,
  strike({ choice = 0 }, { created, somebody }) {
    const place = chosen(created, choice);
    if (place === undefined) return undefined;
    somebody(`changes ${nameOf(place)}`, async (user) => {
      const object = await user.read(place);
      const change = object && changeOf(object, choice);
      if (change !== undefined) await user.patch(place, change);
    });
    return undefined;
  },
};

export const ownerRecreated: FaultKind = {
  name: "owner-recreated",
  about: "Somebody deletes an object of the scenario and makes it again under the same name, with another uid.",
  needs: "garbage-collector-controller",
  strikesOn: ["time"],
  strike({ choice }, { asked, somebody }) {
    somebody(
      "deletes an object of the scenario and makes it again",
      async (user) => {
        const place = chosen(asked, choice);
        const object = place && (await user.read(place));
        if (place === undefined || object === undefined || object.metadata.deletionTimestamp !== undefined) return;
        await user.remove(place);
        for (let waits = 0; (await user.read(place)) !== undefined; waits++) {
          if (waits > 600) throw new Error(`${nameOf(place)} does not go away`);
          await user.sleep(1_000);
        }
        await user.create(reborn(object));
      },
      { afterScenario: true },
    );
    return undefined;
  },
};

export const statusOverwritten: FaultKind = {
  name: "status-overwritten",
  about: "Somebody empties the status of an object of the scenario.",
  strikesOn: ["time"],
  strike({ choice }, { asked, somebody }) {
    somebody(
      "empties a status",
      async (user) => {
        const place = chosen(asked, choice);
        const object = place && ((await user.read(place)) as (KubeObject & { readonly status?: object }) | undefined);
        if (place === undefined || object?.status === undefined) return;
        const nothing = Object.fromEntries(Object.keys(object.status).map((key) => [key, null]));
        await user.patch(place, { status: nothing }, "status");
      },
      { afterScenario: true },
    );
    return undefined;
  },
};

export const foreignFinalizer: FaultKind = {
  name: "foreign-finalizer",
  about: "An object of the operator carries somebody else's finalizer for a while, so that its deletion takes time.",
  strikesOn: moments,
  lasts: [1_000, 60_000],
  strike({ choice, forMs = 1_000 }, { created, somebody }) {
    const place = chosen(created, choice);
    if (place === undefined) return undefined;
    somebody(`keeps ${nameOf(place)} with a finalizer`, async (user) => {
      const before = await user.read(place);
      if (before === undefined || before.metadata.deletionTimestamp !== undefined) return;
      const finalizers = [...(before.metadata.finalizers ?? []), foreign];
      await user.patch(place, { metadata: { finalizers, resourceVersion: before.metadata.resourceVersion } });
      await user.sleep(forMs);
      const after = await user.read(place);
      const left = after?.metadata.finalizers?.filter((name) => name !== foreign) ?? [];
      if (after !== undefined) await user.patch(place, { metadata: { finalizers: left } });
    });
    return undefined;
  },
};

const foreign = "simulation.coxswain.dev/somebody";

export const writesRefused: FaultKind = {
  name: "writes-refused",
  about: "For a while the server refuses every write of the operator, as a quota or a webhook does.",
  strikesOn: moments,
  lasts: [1_000, 120_000],
  strike({ forMs = 1_000 }, { refuseWrites }) {
    refuseWrites(forMs);
    return undefined;
  },
};

/** The object as its author would write it again. */
function reborn(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { name, namespace, labels, annotations } = metadata;
  const kept = {
    name,
    ...(namespace && { namespace }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  };
  const { status: _, ...spec } = rest as { readonly status?: unknown };
  return { apiVersion, kind, metadata: kept, ...spec } as KubeObject;
}

/** Values of Secrets are base64. */
const encoded = Buffer.from("changed by somebody").toString("base64");

/** Where an object says what should be, as its managed fields and its members name it; a Secret's texts are stored as data. */
const desiredState = [
  ["f:spec", "spec"],
  ["f:data", "data"],
  ["f:stringData", "data"],
] as const;

type Tree = { readonly [key: string]: Tree };

/** A merge patch that changes one scalar of `spec` or `data` that some manager owns; undefined if there is none. */
function changeOf(object: KubeObject, choice: number): object | undefined {
  const paths: { readonly path: readonly string[]; readonly value: unknown }[] = [];
  for (const { fieldsV1, subresource } of object.metadata.managedFields ?? []) {
    if (subresource !== undefined || fieldsV1 === undefined) continue;
    for (const [root, member] of desiredState) {
      const tree = (fieldsV1 as Tree)[root];
      if (tree !== undefined) collect(tree, [member], object, paths);
    }
  }
  const leaf = chosen(paths, (choice * 7919) % 1);
  if (leaf === undefined) return undefined;
  const changed = object.kind === "Secret" ? encoded : otherThan(leaf.value);
  return leaf.path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), changed) as object;
}

function collect(
  tree: Tree,
  path: readonly string[],
  object: KubeObject,
  into: { readonly path: readonly string[]; readonly value: unknown }[],
): void {
  const keys = Object.keys(tree).filter((key) => key.startsWith("f:"));
  for (const key of keys) {
    const next = [...path, key.slice(2)];
    const value = next.reduce<unknown>(
      (inner, name) => (inner as Readonly<Record<string, unknown>> | undefined)?.[name],
      object,
    );
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      into.push({ path: next, value });
    else if (typeof value === "object" && value !== null && !Array.isArray(value))
      collect(tree[key] ?? {}, next, object, into);
  }
}

function otherThan(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  return `${String(value)}x`;
}
