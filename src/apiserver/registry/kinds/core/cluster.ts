/** Strategies of namespaces, nodes and service accounts. */
import { defined } from "../../../../base/defined.js";
import {
  fieldPath,
  goQuote,
  isLabelValue,
  type Namespace as AnyNamespace,
  type Node as AnyNode,
  type ServiceAccount,
  type Taint,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { taintEffects } from "../pod/validation/scheduling.js";
import { cidr, parseCidr } from "../rules/addresses.js";
import { changed, each, filled, having, nullIfEmpty, roundedAmounts } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { inTurn, type Issues, oneOf, type Path, qualifiedName } from "../rules/issues.js";
import { labelName, standardFinalizers } from "../rules/names.js";
import { resourceAmount } from "../rules/resources.js";
import { repeats } from "../../../../base/members.js";

type Namespace = WithSpec<AnyNamespace>;
type Node = WithSpec<AnyNode>;

const nameLabel = "kubernetes.io/metadata.name";

function labelled(namespace: Namespace): Namespace {
  const { name, labels } = namespace.metadata;
  if (!name || labels?.[nameLabel] === name) return namespace;
  return { ...namespace, metadata: { ...namespace.metadata, labels: { ...labels, [nameLabel]: name } } };
}

function* finalizerName(at: Path, name: string): Issues {
  yield* qualifiedName(at, name);
  if (!name.includes("/") && !standardFinalizers.has(name)) {
    yield at.invalid(name, "name is neither a standard finalizer name nor is it fully qualified");
  }
}

const finalizersAt = fieldPath("spec", "finalizers");

export const namespaceStrategy: Strategy<Namespace> = {
  group: "",
  kind: "Namespace",
  deleteReturnsObject: true,
  validateName: labelName,
  setDefaults: (namespace) => labelled(changed(namespace, "status", (status) => filled(status, { phase: "Active" }))),
  prepareForCreate(namespace) {
    const { finalizers = [] } = namespace.spec;
    const held = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes" as const];
    return labelled({ ...namespace, spec: { ...namespace.spec, finalizers: held }, status: { phase: "Active" } });
  },
  prepareForUpdate: (namespace, old) => ({ ...namespace, spec: old.spec }),
  *validateCreate({ spec }) {
    for (const name of spec.finalizers ?? []) yield* finalizerName(finalizersAt, name);
  },
  status: {
    validateUpdate({ metadata, status }) {
      const phase = status?.phase ?? "";
      const expected = metadata.deletionTimestamp === undefined ? "Active" : "Terminating";
      const when = expected === "Active" ? "empty" : "not empty";
      if (phase === expected) return [];
      const why = `may only be '${expected}' if \`deletionTimestamp\` is ${when}`;
      return [fieldPath("status", "Phase").invalid(phase, why)];
    },
  },
  subresources: {
    finalize: {
      prepareForUpdate: (namespace, old) => ({ ...namespace, ...defined({ status: old.status }) }),
      *validateUpdate({ spec }) {
        for (const [at, name] of finalizersAt.items(spec.finalizers)) yield* finalizerName(at, name);
      },
    },
  },
  // a namespace is terminating from the moment of its deletion until its spec.finalizers are gone
  holdsDeletion: ({ spec, metadata }) => metadata.deletionTimestamp === undefined || (spec.finalizers ?? []).length > 0,
  onDeletionStart: (namespace) => ({ ...namespace, status: { ...namespace.status, phase: "Terminating" } }),
  selectableFields: { "status.phase": ({ status }) => status?.phase ?? "" },
};

/** `podCIDR` is the first of `podCIDRs`; each is filled in from the other, and `podCIDR` wins. */
function withRanges(node: Node): Node {
  const { podCIDR, podCIDRs = [] } = node.spec ?? {};
  if (podCIDR && podCIDR !== podCIDRs[0]) return { ...node, spec: { ...node.spec, podCIDRs: [podCIDR] } };
  return podCIDRs[0] && !podCIDR ? { ...node, spec: { ...node.spec, podCIDR: podCIDRs[0] } } : node;
}

/** Dynamic kubelet configuration is gone upstream: its fields are dropped. */
function prepared(node: Node): Node {
  const bare = { ...node, spec: having(node.spec, "configSource", undefined) };
  return changed(bare, "status", (status) =>
    changed(having(status, "config", undefined), "images", (images) =>
      each(images, (image) => nullIfEmpty(image, "names")),
    ),
  );
}

function nodeDefaults(node: Node): Node {
  return changed(withRanges(node), "status", (status) => {
    const capacity = changed(status, "capacity", roundedAmounts);
    const allocatable = capacity.allocatable ?? capacity.capacity;
    return changed(allocatable === undefined ? capacity : { ...capacity, allocatable }, "allocatable", roundedAmounts);
  });
}

function* taints(given: readonly Taint[] | undefined): Issues {
  const isRepeat = repeats();
  for (const [here, { key, value = "", effect }] of taintsAt.items(given)) {
    yield* qualifiedName(here.child("key"), key);
    const complaints = isLabelValue(value);
    if (complaints.length > 0) yield here.child("value").invalid(value, complaints.join(";"));
    yield* oneOf(here.child("effect"), effect, taintEffects);
    if (isRepeat(`${effect} ${key}`)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: null };
      const error = here.duplicate(shown);
      yield { ...error, message: `${error.message}: taints must be unique by key and effect pair` };
    }
  }
}

function* amounts(node: Node): Issues {
  for (const list of ["capacity", "allocatable"] as const) {
    for (const [name, amount] of Object.entries(node.status?.[list] ?? {})) {
      yield* resourceAmount(fieldPath("status", list, name), name, amount);
    }
  }
}

/** Upstream reports taints under metadata. */
const taintsAt = fieldPath("metadata", "taints");
const rangesAt = fieldPath("spec", "podCIDRs");

function* nodeRules(node: Node): Issues {
  yield* taints(node.spec.taints);
  yield* amounts(node);
  const ranges = node.spec.podCIDRs ?? [];
  for (const [here, range] of rangesAt.items(ranges)) yield* cidr(here, range);
  const families = new Set(ranges.map((range) => parseCidr(range)?.family));
  const unread = ranges.findIndex((range) => parseCidr(range) === undefined);
  if (ranges.length > 1 && unread !== -1) {
    const why = `invalid CIDR[${unread}]: <nil> (invalid CIDR address: ${ranges[unread]})`;
    yield rangesAt.internal(`invalid PodCIDRs. failed to check with dual stack with error:${why}`);
  }
  if (ranges.length > 1 && (families.size < 2 || ranges.length > 2)) {
    yield rangesAt.invalid(ranges, "may specify no more than one CIDR for each IP family");
  }
}

function* nodeChanges(node: Node, old: Node): Issues {
  yield* amounts(node);
  const isRepeat = repeats();
  for (const [here, { type, address }] of fieldPath("status", "addresses").items(node.status?.addresses)) {
    if (isRepeat(`${type} ${address}`)) yield here.duplicate({ Type: type, Address: address });
  }
  const [now, before] = [node.spec.podCIDRs ?? [], old.spec.podCIDRs ?? []];
  const why = (field: string): string => `node updates may not change ${field} except from "" to valid`;
  if (before.length > 0 && now.length !== before.length) yield rangesAt.forbidden(why("podCIDR"));
  else
    for (const [index, range] of before.entries()) if (range !== now[index]) yield rangesAt.forbidden(why("podCIDR"));
  if (old.spec.providerID && old.spec.providerID !== node.spec.providerID) {
    yield fieldPath("spec", "providerID").forbidden(why("providerID"));
  }
  yield* taints(node.spec.taints);
  if (node.spec.externalID !== old.spec.externalID) {
    yield fieldPath("spec", "externalID").forbidden("may not be updated");
  }
}

const featureName = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const featureRule =
  "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";

function* features(at: Path, names: readonly string[] | undefined): Issues {
  const isRepeat = repeats();
  let before = "";
  for (const [here, name] of at.items(names)) {
    if (name < before) yield here.invalid(name, "list must be sorted alphabetically");
    before = name;
    if (isRepeat(name)) yield here.duplicate(name);
    const wrong = name.length > 253 ? "must be no more than 253 characters" : featureName.test(name) ? "" : featureRule;
    if (wrong !== "") yield here.invalid(name, `invalid feature name ${goQuote(name)}: ${wrong}`);
  }
}

export const nodeStrategy: Strategy<Node> = {
  group: "",
  kind: "Node",
  keepsStatusOnCreate: true,
  setDefaults: nodeDefaults,
  prepareForCreate: prepared,
  prepareForUpdate: prepared,
  validateCreate: nodeRules,
  validateUpdate: (node, old) => inTurn(nodeRules(node), nodeChanges(node, old)),
  status: {
    prepareForUpdate: prepared,
    validateUpdate: (node, old) =>
      inTurn(nodeChanges(node, old), features(fieldPath("status", "declaredFeatures"), node.status?.declaredFeatures)),
  },
  selectableFields: { "spec.unschedulable": ({ spec }) => String(spec.unschedulable ?? false) },
};

/** Keeps only the names in references to secrets. */
const cleanReferences = (account: ServiceAccount): ServiceAccount =>
  changed(account, "secrets", (secrets) =>
    each(secrets, (secret) =>
      Object.keys(secret).length === 1 && secret.name ? secret : filled({}, { name: secret.name }),
    ),
  );

export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  group: "",
  kind: "ServiceAccount",
  deleteReturnsObject: true,
  prepareForCreate: cleanReferences,
  prepareForUpdate: cleanReferences,
};
