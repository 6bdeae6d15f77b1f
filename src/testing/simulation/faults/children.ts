/** Faults of other users who delete, change, relabel, mark or keep an object that the operator made. */
import { isDeleting, type KubeObject } from "../../../api/index.js";
import { foreignMark } from "../end-state.js";
import { chosen, describePlace, type FaultKind, type MarkedMember, type Place } from "../fault.js";
import type { Target } from "../record.js";
import { isRecord } from "../../../base/members.js";

const moments = ["write", "time"] as const;

export const childDeleted: FaultKind = {
  name: "child-deleted",
  about: "Somebody deletes an object that the operator created.",
  strikesOn: moments,
  weight: 2,
  strike({ choice }, { created, running, somebody }) {
    // without its controller a namespace is being deleted for ever, and no operator can make it again
    const mortal = created.filter(({ kind }) => kind !== "Namespace" || running.has("namespace-controller"));
    const place = chosen(mortal, choice);
    if (place !== undefined) somebody(`deletes ${describePlace(place)}`, (user) => user.remove(place));
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
    somebody(`changes ${describePlace(place)}`, async (user) => {
      const object = await user.read(place);
      const change = object && changeOf(object, { sent: place.sent, choice });
      if (change !== undefined) await user.patch(place, change);
    });
    return undefined;
  },
};

export const childRelabelled: FaultKind = {
  name: "child-relabelled",
  about: "Somebody takes a label from an object that the operator created, and puts it back after a while.",
  strikesOn: moments,
  lasts: [1_000, 60_000],
  strike({ choice, forMs = 1_000 }, { created, somebody }) {
    const place = chosen(created, choice);
    if (place === undefined) return undefined;
    somebody(`takes a label from ${describePlace(place)} for a while`, async (user) => {
      const before = await user.read(place);
      const [key, value] = Object.entries(before?.metadata.labels ?? {})[0] ?? [];
      if (before === undefined || key === undefined) return;
      await user.patch(place, { metadata: { labels: { [key]: null } } });
      await user.sleep(forMs);
      const after = await user.read(place);
      const isSame = after?.metadata.uid === before.metadata.uid && after?.metadata.labels?.[key] === undefined;
      if (isSame) await user.patch(place, { metadata: { labels: { [key]: value } } });
    });
    return undefined;
  },
};

/** Somebody else's mark is put on an object that the operator created, just before it writes to it, and must stay. */
function marking(member: MarkedMember, does: string): Pick<FaultKind, "strikesOn" | "strike"> {
  return {
    strikesOn: moments,
    strike({ choice }, { target, created, somebody }) {
      const place = created.find((one) => target !== undefined && isAt(one, target)) ?? chosen(created, choice);
      if (place === undefined) return undefined;
      somebody(`${does} ${describePlace(place)}`, (user) => user.mark(place, member));
      return undefined;
    },
  };
}

export const childAnnotated: FaultKind = {
  name: "child-annotated",
  about: "Somebody else's annotation is put on an object that the operator created, and must stay.",
  ...marking("annotations", "annotates"),
};

export const childLabelled: FaultKind = {
  name: "child-labelled",
  about: "Somebody else's label is put on an object that the operator created, and must stay.",
  ...marking("labels", "puts a label on"),
};

/** Whether the request is for the object at the place. The kind is compared by its beginning: a plural may end otherwise. */
function isAt({ apiVersion, kind, namespace, name }: Place, target: Target): boolean {
  if (target.name !== name || target.namespace !== namespace) return false;
  const group = apiVersion.includes("/") ? `${apiVersion.split("/")[0] ?? ""}/` : "";
  return target.resource.startsWith(`${group}${kind.toLowerCase().slice(0, -1)}`);
}

/** Kinds without a controller that would answer for a new object of theirs. */
const inert = new Set(["ConfigMap", "Secret", "ServiceAccount"]);

export const lookalike: FaultKind = {
  name: "lookalike",
  about:
    "Somebody makes an object of his own beside one that the operator created, under a similar name; it must stay.",
  fits: ({ asked, created }) => inertOf(asked, created).length > 0,
  strikesOn: moments,
  strike({ choice }, { asked, created, somebody }) {
    const place = chosen(inertOf(asked, created), choice);
    if (place === undefined) return undefined;
    const { apiVersion, kind, namespace, name } = place;
    somebody(`makes an object beside ${describePlace(place)}`, (user) =>
      user.add({ apiVersion, kind, metadata: { name: `${name}-other`, namespace } }),
    );
    return undefined;
  },
};

/** The operator's objects of kinds that it gets no orders by: those it may take for its own, if it looks at the kind alone. */
function inertOf(asked: readonly Place[], created: readonly Place[]): readonly Place[] {
  const orders = new Set(asked.map(({ kind }) => kind));
  return created.filter(({ kind }) => inert.has(kind) && !orders.has(kind));
}

export const foreignFinalizer: FaultKind = {
  name: "foreign-finalizer",
  about: "An object of the operator carries somebody else's finalizer for a while, so that its deletion takes time.",
  strikesOn: moments,
  lasts: [1_000, 60_000],
  strike({ choice, forMs = 1_000 }, { created, somebody }) {
    const place = chosen(created, choice);
    if (place === undefined) return undefined;
    somebody(`keeps ${describePlace(place)} with a finalizer`, async (user) => {
      const before = await user.read(place);
      if (before === undefined || isDeleting(before)) return;
      // the same fault at an earlier moment still lasts: its end would take this finalizer away, too
      if (before.metadata.finalizers?.includes(foreignMark)) return;
      const finalizers = [...(before.metadata.finalizers ?? []), foreignMark];
      const { resourceVersion } = before.metadata;
      if (!(await user.patch(place, { metadata: { finalizers, resourceVersion } }))) return;
      await user.sleep(forMs);
      const after = await user.read(place);
      const there = after?.metadata.uid === before.metadata.uid ? (after?.metadata.finalizers ?? []) : [];
      if (there.includes(foreignMark))
        await user.patch(place, { metadata: { finalizers: there.filter((name) => name !== foreignMark) } });
      else user.complains(`${describePlace(place)}: somebody else's finalizer was removed`);
    });
    return undefined;
  },
};

/** Values of Secrets are base64. */
const encoded = Buffer.from("changed by somebody").toString("base64");

/** Where an object says what should be, as its managed fields and its members name it; a Secret's texts are stored as data. */
const desiredState = [
  ["f:spec", "spec"],
  ["f:data", "data"],
  ["f:stringData", "data"],
] as const;

type Tree = { readonly [key: string]: Tree };

/**
 * A merge patch that changes one scalar of `spec` or `data` that the operator wants as it is; undefined if there is none.
 * The fields of an apply are its wishes. Those of other writes include what the server filled in.
 */
function changeOf(
  object: KubeObject,
  { sent, choice }: { readonly sent: readonly unknown[]; readonly choice: number },
): object | undefined {
  const paths: Leaf[] = [];
  for (const { fieldsV1, subresource, operation } of object.metadata.managedFields ?? []) {
    if (subresource !== undefined || fieldsV1 === undefined) continue;
    const owned: Leaf[] = [];
    for (const [root, member] of desiredState) {
      const tree = (fieldsV1 as Tree)[root];
      if (tree !== undefined) collect(tree, [member], object, owned);
    }
    paths.push(...owned.filter(({ path }) => operation === "Apply" || sent.some((body) => names(body, path))));
  }
  const leaf = chosen(paths, (choice * 7919) % 1);
  if (leaf === undefined) return undefined;
  const changed = object.kind === "Secret" ? encoded : otherThan(leaf.value);
  return leaf.path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), changed) as object;
}

/** Whether a text that was sent has a value at the path; those of a Secret may stand in its `stringData`. */
function names(body: unknown, [root = "", ...rest]: readonly string[]): boolean {
  const roots = root === "data" ? ["data", "stringData"] : [root];
  return roots.some((member) => memberAt(body, [member, ...rest]) !== undefined);
}

const memberAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name], value);

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

function collect(tree: Tree, path: readonly string[], object: KubeObject, into: Leaf[]): void {
  const keys = Object.keys(tree).filter((key) => key.startsWith("f:"));
  for (const key of keys) {
    const next = [...path, key.slice(2)];
    const value = memberAt(object, next);
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      into.push({ path: next, value });
    else if (isRecord(value)) collect(tree[key] ?? {}, next, object, into);
  }
}

function otherThan(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  return `${String(value)}x`;
}
