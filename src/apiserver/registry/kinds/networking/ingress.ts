/** Strategies of ingresses and their classes. */
import {
  byteLength,
  fieldPath,
  type HTTPIngressPath,
  type Ingress as AnyIngress,
  type IngressBackend,
  type IngressClass as AnyIngressClass,
  type IngressClassParametersReference,
  type IngressRule,
  type IngressTLS,
  isDns1123Subdomain,
  isWildcardDns1123Subdomain,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { writtenFamily, ipAddress } from "../rules/addresses.js";
import { changed, filled } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import {
  dns1123Label,
  dns1123Subdomain,
  formed,
  immutable,
  inTurn,
  type Issues,
  type Path,
  portName,
  portNumber,
  required,
} from "../rules/issues.js";
import { domainPrefixedPath } from "../../../../api/errors/domain-path.js";
import { typedReference } from "../rules/references.js";

type Ingress = WithSpec<AnyIngress>;
type IngressClass = WithSpec<AnyIngressClass>;

const spec = fieldPath("spec");

function* ingressRules({ spec: given }: Ingress): Issues {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = given;
  if (rules.length === 0 && defaultBackend === undefined) {
    yield spec.invalid(given.rules, "either `defaultBackend` or `rules` must be specified");
  }
  if (defaultBackend !== undefined) yield* backend(spec.child("defaultBackend"), defaultBackend);
  for (const [here, rule] of spec.child("rules").items(rules)) yield* hostRule(here, rule);
  for (const [place, one] of spec.child("tls").items(tls)) yield* secured(place, one);
  if (ingressClassName !== undefined) yield* dns1123Subdomain(spec.child("ingressClassName"), ingressClassName);
}

function* hostName(at: Path, host: string): Issues {
  const rule = host.includes("*") ? isWildcardDns1123Subdomain : isDns1123Subdomain;
  yield* formed(at, host, rule(host));
}

const notAnAddress = "must be a DNS name, not an IP address";

function* hostRule(at: Path, { host = "", http }: IngressRule): Issues {
  if (host !== "") {
    if (writtenFamily(host) !== undefined) yield at.child("host").invalid(host, notAnAddress);
    yield* hostName(at.child("host"), host);
  }
  if (http === undefined) return;
  const paths = http.paths ?? [];
  if (paths.length === 0) yield at.child("http", "paths").required();
  for (const [here, path] of at.child("http", "paths").items(paths)) yield* pathRule(here, path);
}

const wrongParts = ["//", "/./", "/../", "%2f", "%2F"];
const wrongEnds = ["/..", "/."];

function* pathRule(at: Path, given: HTTPIngressPath): Issues {
  const { path = "" } = given;
  const type: string | undefined = given.pathType;
  const here = at.child("path");
  if (type === undefined) {
    yield at.child("pathType").required("pathType must be specified");
    return;
  }
  const exact = type === "Exact" || type === "Prefix";
  if (exact || (type === "ImplementationSpecific" && path !== "")) {
    if (!path.startsWith("/")) yield here.invalid(path, "must be an absolute path");
  }
  if (exact) {
    for (const part of wrongParts) if (path.includes(part)) yield here.invalid(path, `must not contain '${part}'`);
    for (const end of wrongEnds) if (path.endsWith(end)) yield here.invalid(path, `cannot end with '${end}'`);
  } else if (type !== "ImplementationSpecific") {
    yield at.child("pathType").notSupported(type, ["Exact", "ImplementationSpecific", "Prefix"]);
  }
  yield* backend(at.child("backend"), given.backend);
}

function* backend(at: Path, { resource, service }: IngressBackend): Issues {
  if (resource !== undefined && service !== undefined) {
    yield at.invalid("", "cannot set both resource and service backends");
  } else if (resource !== undefined) yield* typedReference(at.child("resource"), resource);
  else if (service !== undefined) {
    yield* required(at.child("service", "name"), service.name, dns1123Label);
    const { name = "", number = 0 } = service.port ?? {};
    if (name !== "" && number !== 0) yield at.invalid("", "cannot set both port name & port number");
    else if (name !== "") yield* portName(at.child("service", "port", "name"), name);
    else if (number !== 0) yield* portNumber(at.child("service", "port", "number"), number);
    else yield at.required("port name or number is required");
  } else yield at.invalid("", "resource or service backend is required");
}

function* secured(at: Path, { hosts = [], secretName = "" }: IngressTLS): Issues {
  for (const [here, host] of at.child("hosts").items(hosts)) yield* hostName(here, host);
  if (secretName !== "") yield* dns1123Subdomain(at.child("secretName"), secretName);
}

const classAnnotation = "kubernetes.io/ingress.class";

function* annotatedClass({ metadata, spec: { ingressClassName } }: Ingress): Issues {
  const annotation = metadata.annotations?.[classAnnotation];
  if (annotation === undefined || ingressClassName === undefined || annotation === ingressClassName) return;
  const at = fieldPath("annotations", classAnnotation);
  yield at.invalid(annotation, "must match `ingressClassName` when both are specified");
}

function* statusRules({ status }: Ingress): Issues {
  const at = fieldPath("status", "loadBalancer", "ingress");
  for (const [place, { ip = "", hostname = "" }] of at.items(status?.loadBalancer?.ingress)) {
    if (ip !== "") yield* ipAddress(place.child("ip"), ip);
    if (hostname === "") continue;
    const here = place.child("hostname");
    yield* dns1123Subdomain(here, hostname);
    if (writtenFamily(hostname) !== undefined) yield here.invalid(hostname, notAnAddress);
  }
}

export const ingressStrategy: Strategy<Ingress> = {
  group: "networking.k8s.io",
  kind: "Ingress",
  generation: "spec",
  validateCreate: (ingress) => inTurn(ingressRules(ingress), annotatedClass(ingress)),
  validateUpdate: ingressRules,
  status: { validateUpdate: statusRules },
};

function* classRules({ spec: { controller = "", parameters } }: IngressClass): Issues {
  if (byteLength(controller) > 250) yield spec.child("controller").tooLong(250);
  yield* domainPrefixedPath(spec.child("controller"), controller);
  if (parameters !== undefined) yield* classParameters(spec.child("parameters"), parameters);
}

function* classParameters(at: Path, parameters: IngressClassParametersReference): Issues {
  yield* typedReference(at, parameters);
  const { scope, namespace } = parameters;
  const here = at.child("namespace");
  if (scope === "Namespace") {
    if (namespace === undefined) yield here.required("`parameters.scope` is set to 'Namespace'");
    else yield* dns1123Label(here, namespace);
  } else if (scope === "Cluster") {
    if (namespace !== undefined) yield here.forbidden("`parameters.scope` is set to 'Cluster'");
  } else yield at.child("scope").notSupported(scope, ["Cluster", "Namespace"]);
}

export const ingressClassStrategy: Strategy<IngressClass> = {
  group: "networking.k8s.io",
  kind: "IngressClass",
  generation: "spec",
  setDefaults: (object) =>
    changed(object, "spec", (given) => changed(given, "parameters", (one) => filled(one, { scope: "Cluster" }))),
  validateCreate: classRules,
  validateUpdate: (object, old) =>
    inTurn(
      immutable(spec.child("controller"), object.spec.controller ?? "", old.spec.controller ?? ""),
      classRules(object),
    ),
};
