/** The strategy of endpoint slices. */
import {
  type Endpoint,
  type EndpointHints,
  type EndpointSlice,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  semanticEqual,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { portProtocols } from "../pod/validation/environment.js";
import { canonicalIpAddress, endpointAddress, writtenFamily, ipAddress } from "../rules/addresses.js";
import { changed, each, filled, having, nullIfEmpty } from "../rules/fill.js";
import {
  dns1123Label,
  dns1123Subdomain,
  formed,
  immutable,
  inTurn,
  type Issues,
  labelMap,
  oneOf,
  optionalOneOf,
  type Path,
  qualifiedName,
} from "../rules/issues.js";
import { repeats } from "../../../../base/members.js";

function* portRules(slice: EndpointSlice): Issues {
  const ports = slice.ports ?? [];
  const at = fieldPath("ports");
  if (ports.length > 20_000) {
    yield at.tooMany(ports.length, 20_000);
    return;
  }
  const isRepeat = repeats();
  for (const [here, { name = "", protocol, appProtocol }] of at.items(ports)) {
    if (name !== "") yield* dns1123Label(here.child("name"), name);
    if (isRepeat(name)) yield here.child("name").duplicate(name);
    if (protocol === undefined) yield here.child("protocol").required();
    yield* optionalOneOf(here.child("protocol"), protocol, portProtocols);
    if (appProtocol !== undefined) yield* qualifiedName(here.child("appProtocol"), appProtocol);
  }
}

function* endpointRules(slice: EndpointSlice): Issues {
  const endpoints = slice.endpoints ?? [];
  const at = fieldPath("endpoints");
  if (endpoints.length > 1_000) {
    yield at.tooMany(endpoints.length, 1_000);
    return;
  }
  for (const [here, endpoint] of at.items(endpoints)) yield* endpointRule(here, endpoint, slice.addressType);
}

function* endpointRule(at: Path, endpoint: Endpoint, type: string): Issues {
  const addresses = endpoint.addresses ?? [];
  const here = at.child("addresses");
  if (addresses.length === 0) yield here.required("must contain at least 1 address");
  else if (addresses.length > 100) yield here.tooMany(addresses.length, 100);
  for (const [index, address] of addresses.entries()) yield* addressRule(here, index, address, type);
  if (endpoint.nodeName !== undefined) yield* dns1123Subdomain(at.child("nodeName"), endpoint.nodeName);
  const topology = endpoint.deprecatedTopology ?? {};
  const topologyAt = at.child("deprecatedTopology");
  if (Object.keys(topology).length > 16) yield topologyAt.tooMany(Object.keys(topology).length, 16);
  yield* labelMap(topologyAt, topology);
  if (endpoint.hostname !== undefined) yield* dns1123Label(at.child("hostname"), endpoint.hostname);
  if (endpoint.hints !== undefined) yield* hints(at.child("hints"), endpoint.hints);
}

function* addressRule(at: Path, index: number, address: string, type: string): Issues {
  const here = at.index(index);
  if (type === "FQDN") yield* domainName(here, address);
  if (type !== "IPv4" && type !== "IPv6") return;
  const errors = [...(type === "IPv4" ? ipAddress(here, address) : canonicalIpAddress(here, address))];
  yield* errors;
  if (errors.length > 0) return;
  if (writtenFamily(address) !== type) yield at.invalid(address, `must be an ${type} address`);
  yield* endpointAddress(here, address);
}

function* domainName(at: Path, given: string): Issues {
  if (given === "") {
    yield at.required();
    return;
  }
  const name = given.replace(/\.$/, "");
  const complaints = isDns1123Subdomain(name);
  const labels = name.split(".");
  const bad = labels.find((label) => isDns1123Label(label).length > 0);
  if (complaints.length > 0) yield at.invalid(name, complaints.join(","));
  else if (labels.length < 2) {
    yield at.invalid(name, "should be a domain with at least two segments separated by dots");
  } else if (bad !== undefined) yield at.invalid(bad, isDns1123Label(bad).join(","));
}

function* hints(at: Path, { forZones = [], forNodes = [] }: EndpointHints): Issues {
  for (const [field, list, rule] of [
    ["forZones", forZones, isLabelValue],
    ["forNodes", forNodes, isDns1123Subdomain],
  ] as const) {
    const here = at.child(field);
    if (list.length > 8) {
      yield here.tooMany(list.length, 8);
      return;
    }
    const isRepeat = repeats();
    for (const [place, { name }] of here.items(list)) {
      const nameAt = place.child("name");
      if (isRepeat(name)) yield nameAt.duplicate(name);
      yield* formed(nameAt, name, rule(name));
    }
  }
}

function* sliceRules(slice: EndpointSlice, old: EndpointSlice | undefined): Issues {
  yield* oneOf(fieldPath("addressType"), slice.addressType, ["FQDN", "IPv4", "IPv6"]);
  yield* portRules(slice);
  if (old === undefined || !semanticEqual(slice.endpoints, old.endpoints)) yield* endpointRules(slice);
}

const host = "kubernetes.io/hostname";

const formerNodes = ({ endpoints }: EndpointSlice): ReadonlySet<string> =>
  new Set(
    (endpoints ?? []).flatMap(({ deprecatedTopology: { [host]: name = "" } = {} }) => (name === "" ? [] : [name])),
  );

/** Drops the deprecated topology, which can no longer be written; a node that it named moves to `nodeName`. */
function withoutTopology(slice: EndpointSlice, nodes: ReadonlySet<string>): EndpointSlice {
  const moved = changed(slice, "endpoints", (endpoints) =>
    each(endpoints, (endpoint) => {
      const named = endpoint.deprecatedTopology?.[host] ?? "";
      const keeps = endpoint.nodeName === undefined && nodes.has(named) && isDns1123Subdomain(named).length === 0;
      const rest = having(endpoint, "deprecatedTopology", undefined);
      return keeps ? { ...rest, nodeName: named } : rest;
    }),
  );
  return nullIfEmpty(nullIfEmpty(moved, "endpoints"), "ports");
}

const contents = ({ endpoints, ports, addressType, metadata: { labels } }: EndpointSlice): unknown => ({
  endpoints,
  ports,
  addressType,
  labels,
});

export const endpointSliceStrategy: Strategy<EndpointSlice> = {
  group: "discovery.k8s.io",
  kind: "EndpointSlice",
  generation: (now, old) => !semanticEqual(contents(now), contents(old)),
  setDefaults: (slice) =>
    changed(slice, "ports", (ports) =>
      each(ports, (port) => ({ ...filled(port, { protocol: "TCP" }), name: port.name ?? "" })),
    ),
  prepareForCreate: (slice) => withoutTopology(slice, new Set()),
  prepareForUpdate: (slice, old) =>
    semanticEqual(slice.endpoints, old.endpoints)
      ? nullIfEmpty(nullIfEmpty(slice, "endpoints"), "ports")
      : withoutTopology(slice, formerNodes(old)),
  validateCreate: (slice) => sliceRules(slice, undefined),
  validateUpdate: (slice, old) =>
    inTurn(sliceRules(slice, old), immutable(fieldPath("addressType"), slice.addressType, old.addressType)),
};
