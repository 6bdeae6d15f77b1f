/** The strategy of network policies. */
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  type IPBlock,
  isPortName,
  type NetworkPolicy as AnyNetworkPolicy,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { cidr, isStrictSubset, parseCidr } from "../rules/addresses.js";
import { changed, each, filled } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { formed, type Issues, labelSelector, type Path, portNumber } from "../rules/issues.js";

type NetworkPolicy = WithSpec<AnyNetworkPolicy>;

const spec = fieldPath("spec");

const portDefaults = (port: NetworkPolicyPort): NetworkPolicyPort => filled(port, { protocol: "TCP" });

function policyDefaults(policy: NetworkPolicy): NetworkPolicy {
  return changed(policy, "spec", (given) => {
    const types = (given.policyTypes ?? []).length > 0;
    const outward = (given.egress ?? []).length > 0;
    const typed = types
      ? given
      : { ...given, policyTypes: outward ? (["Ingress", "Egress"] as const) : (["Ingress"] as const) };
    const inward = changed(typed, "ingress", (rules) =>
      each(rules, (rule) => changed(rule, "ports", (ports) => each(ports, portDefaults))),
    );
    return changed(inward, "egress", (rules) =>
      each(rules, (rule) => changed(rule, "ports", (ports) => each(ports, portDefaults))),
    );
  });
}

function* policyRules({ spec: given }: NetworkPolicy): Issues {
  yield* labelSelector(spec.child("podSelector"), given.podSelector);
  for (const [index, rule] of (given.ingress ?? []).entries()) {
    yield* connections(spec.child("ingress").index(index), "from", { ports: rule.ports, peers: rule.from });
  }
  for (const [index, rule] of (given.egress ?? []).entries()) {
    yield* connections(spec.child("egress").index(index), "to", { ports: rule.ports, peers: rule.to });
  }
  const types: readonly string[] = given.policyTypes ?? [];
  const here = spec.child("policyTypes");
  if (types.length > 2) yield fieldInvalid(here, types, "may not specify more than two policyTypes");
  else {
    for (const [index, type] of types.entries()) {
      if (type !== "Ingress" && type !== "Egress")
        yield fieldNotSupported(here.index(index), type, ["Ingress", "Egress"]);
    }
  }
}

interface Connections {
  readonly ports: readonly NetworkPolicyPort[] | undefined;
  readonly peers: readonly NetworkPolicyPeer[] | undefined;
}

function* connections(at: Path, field: "from" | "to", { ports = [], peers = [] }: Connections): Issues {
  for (const [index, port] of ports.entries()) yield* portRules(at.child("ports").index(index), port);
  for (const [index, one] of peers.entries()) yield* peer(at.child(field).index(index), one);
}

function* portRules(at: Path, { protocol, port, endPort }: NetworkPolicyPort): Issues {
  const protocols: readonly string[] = ["TCP", "UDP", "SCTP"];
  if (protocol !== undefined && !protocols.includes(protocol)) {
    yield fieldNotSupported(at.child("protocol"), protocol, protocols);
  }
  const end = at.child("endPort");
  if (port === undefined) {
    if (endPort !== undefined) yield fieldInvalid(end, endPort, "may not be specified when `port` is not specified");
  } else if (typeof port === "string") {
    if (endPort !== undefined) yield fieldInvalid(end, endPort, "may not be specified when `port` is non-numeric");
    yield* formed(at.child("port"), port, isPortName(port));
  } else {
    yield* portNumber(at.child("port"), port);
    if (endPort === undefined) return;
    if (endPort < port) yield fieldInvalid(end, port, "must be greater than or equal to `port`");
    yield* portNumber(end, endPort);
  }
}

function* peer(at: Path, { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer): Issues {
  yield* labelSelector(at.child("podSelector"), podSelector);
  yield* labelSelector(at.child("namespaceSelector"), namespaceSelector);
  if (ipBlock !== undefined) yield* block(at.child("ipBlock"), ipBlock);
  const selectors = podSelector !== undefined || namespaceSelector !== undefined;
  if (!selectors && ipBlock === undefined) yield fieldRequired(at, "must specify a peer");
  else if (selectors && ipBlock !== undefined)
    yield fieldForbidden(at, "may not specify both ipBlock and another peer");
}

function* block(at: Path, { cidr: range, except = [] }: IPBlock): Issues {
  if (!range) {
    yield fieldRequired(at.child("cidr"));
    return;
  }
  yield* cidr(at.child("cidr"), range);
  if (parseCidr(range) === undefined) return;
  for (const [index, inner] of except.entries()) {
    const here = at.child("except").index(index);
    yield* cidr(here, inner);
    if (parseCidr(inner) !== undefined && !isStrictSubset(inner, range)) {
      yield fieldInvalid(here, inner, "must be a strict subset of `cidr`");
    }
  }
}

export const networkPolicyStrategy: Strategy<NetworkPolicy> = {
  group: "networking.k8s.io",
  kind: "NetworkPolicy",
  lenient: { prefixOnUpdate: true },
  generation: "spec",
  setDefaults: policyDefaults,
  validateCreate: (policy) => [...policyRules(policy)],
  validateUpdate: (policy) => [...policyRules(policy)],
};
