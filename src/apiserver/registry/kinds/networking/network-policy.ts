/** The strategy of network policies. */
import {
  fieldPath,
  type IPBlock,
  type NetworkPolicy as AnyNetworkPolicy,
  type NetworkPolicyIngressRule,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { cidr, isStrictSubset, parseCidr } from "../rules/addresses.js";
import { changed, each, filled } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { type Issues, labelSelector, optionalOneOf, type Path, portName, portNumber } from "../rules/issues.js";

type NetworkPolicy = WithSpec<AnyNetworkPolicy>;

const spec = fieldPath("spec");

type WithPorts = Pick<NetworkPolicyIngressRule, "ports">;

const rulesDefaults = <T extends WithPorts>(rules: readonly T[]): readonly T[] =>
  each<WithPorts>(rules, (rule) =>
    changed(rule, "ports", (ports) => each(ports, (port) => filled(port, { protocol: "TCP" }))),
  ) as readonly T[];

function policyDefaults(policy: NetworkPolicy): NetworkPolicy {
  return changed(policy, "spec", (given) => {
    const types = (given.policyTypes ?? []).length > 0;
    const outward = (given.egress ?? []).length > 0;
    const typed = types
      ? given
      : { ...given, policyTypes: outward ? (["Ingress", "Egress"] as const) : (["Ingress"] as const) };
    return changed(changed(typed, "ingress", rulesDefaults), "egress", rulesDefaults);
  });
}

function* policyRules({ spec: given }: NetworkPolicy): Issues {
  yield* labelSelector(spec.child("podSelector"), given.podSelector);
  for (const [at, { ports, from }] of spec.child("ingress").items(given.ingress)) {
    yield* connections(at, ports, { from });
  }
  for (const [at, { ports, to }] of spec.child("egress").items(given.egress)) yield* connections(at, ports, { to });
  const types: readonly string[] = given.policyTypes ?? [];
  const here = spec.child("policyTypes");
  if (types.length > 2) yield here.invalid(types, "may not specify more than two policyTypes");
  else for (const [place, type] of here.items(types)) yield* optionalOneOf(place, type, ["Ingress", "Egress"]);
}

function* connections(
  at: Path,
  ports: readonly NetworkPolicyPort[] | undefined,
  peers: Readonly<Record<string, readonly NetworkPolicyPeer[] | undefined>>,
): Issues {
  for (const [here, port] of at.child("ports").items(ports)) yield* portRules(here, port);
  for (const [field, list] of Object.entries(peers)) {
    for (const [place, one] of at.child(field).items(list)) yield* peer(place, one);
  }
}

function* portRules(at: Path, { protocol, port, endPort }: NetworkPolicyPort): Issues {
  yield* optionalOneOf(at.child("protocol"), protocol, ["TCP", "UDP", "SCTP"]);
  const end = at.child("endPort");
  if (port === undefined) {
    if (endPort !== undefined) yield end.invalid(endPort, "may not be specified when `port` is not specified");
  } else if (typeof port === "string") {
    if (endPort !== undefined) yield end.invalid(endPort, "may not be specified when `port` is non-numeric");
    yield* portName(at.child("port"), port);
  } else {
    yield* portNumber(at.child("port"), port);
    if (endPort === undefined) return;
    if (endPort < port) yield end.invalid(port, "must be greater than or equal to `port`");
    yield* portNumber(end, endPort);
  }
}

function* peer(at: Path, { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer): Issues {
  yield* labelSelector(at.child("podSelector"), podSelector);
  yield* labelSelector(at.child("namespaceSelector"), namespaceSelector);
  if (ipBlock !== undefined) yield* block(at.child("ipBlock"), ipBlock);
  const selectors = podSelector !== undefined || namespaceSelector !== undefined;
  if (!selectors && ipBlock === undefined) yield at.required("must specify a peer");
  else if (selectors && ipBlock !== undefined) yield at.forbidden("may not specify both ipBlock and another peer");
}

function* block(at: Path, { cidr: range, except = [] }: IPBlock): Issues {
  if (!range) {
    yield at.child("cidr").required();
    return;
  }
  yield* cidr(at.child("cidr"), range);
  if (parseCidr(range) === undefined) return;
  for (const [here, inner] of at.child("except").items(except)) {
    yield* cidr(here, inner);
    if (parseCidr(inner) !== undefined && !isStrictSubset(inner, range)) {
      yield here.invalid(inner, "must be a strict subset of `cidr`");
    }
  }
}

export const networkPolicyStrategy: Strategy<NetworkPolicy> = {
  group: "networking.k8s.io",
  kind: "NetworkPolicy",
  lenient: { prefixOnUpdate: true },
  generation: "spec",
  setDefaults: policyDefaults,
  validateCreate: policyRules,
};
