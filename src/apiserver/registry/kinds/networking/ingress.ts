/** Strategies of ingresses and their classes. */
import {
  byteLength,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTooLong,
  type HTTPIngressPath,
  type Ingress as AnyIngress,
  type IngressBackend,
  type IngressClass as AnyIngressClass,
  type IngressClassParametersReference,
  type IngressRule,
  type IngressTLS,
  isDns1123Label,
  isDns1123Subdomain,
  isPortName,
  isWildcardDns1123Subdomain,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { familyOf, ipAddress } from "../rules/addresses.js";
import { changed, filled } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { dns1123Subdomain, formed, immutable, type Issues, type Path, portNumber } from "../rules/issues.js";
import { domainPrefixedPath, typedReference } from "../rules/references.js";

type Ingress = WithSpec<AnyIngress>;
type IngressClass = WithSpec<AnyIngressClass>;

const spec = fieldPath("spec");

function* ingressRules({ spec: given }: Ingress): Issues {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = given;
  if (rules.length === 0 && defaultBackend === undefined) {
    yield fieldInvalid(spec, given.rules, "either `defaultBackend` or `rules` must be specified");
  }
  if (defaultBackend !== undefined) yield* backend(spec.child("defaultBackend"), defaultBackend);
  for (const [index, rule] of rules.entries()) yield* hostRule(spec.child("rules").index(index), rule);
  for (const [index, one] of tls.entries()) yield* secured(spec.child("tls").index(index), one);
  if (ingressClassName !== undefined) yield* dns1123Subdomain(spec.child("ingressClassName"), ingressClassName);
}

function* hostName(at: Path, host: string): Issues {
  const rule = host.includes("*") ? isWildcardDns1123Subdomain : isDns1123Subdomain;
  yield* formed(at, host, rule(host));
}

const notAnAddress = "must be a DNS name, not an IP address";

function* hostRule(at: Path, { host = "", http }: IngressRule): Issues {
  if (host !== "") {
    if (familyOf(host) !== undefined) yield fieldInvalid(at.child("host"), host, notAnAddress);
    yield* hostName(at.child("host"), host);
  }
  if (http === undefined) return;
  const paths = http.paths ?? [];
  if (paths.length === 0) yield fieldRequired(at.child("http", "paths"));
  for (const [index, path] of paths.entries()) yield* pathRule(at.child("http", "paths").index(index), path);
}

const wrongParts = ["//", "/./", "/../", "%2f", "%2F"];
const wrongEnds = ["/..", "/."];

function* pathRule(at: Path, given: HTTPIngressPath): Issues {
  const { path = "" } = given;
  const type: string | undefined = given.pathType;
  const here = at.child("path");
  if (type === undefined) {
    yield fieldRequired(at.child("pathType"), "pathType must be specified");
    return;
  }
  const exact = type === "Exact" || type === "Prefix";
  if (exact || (type === "ImplementationSpecific" && path !== "")) {
    if (!path.startsWith("/")) yield fieldInvalid(here, path, "must be an absolute path");
  }
  if (exact) {
    for (const part of wrongParts)
      if (path.includes(part)) yield fieldInvalid(here, path, `must not contain '${part}'`);
    for (const end of wrongEnds) if (path.endsWith(end)) yield fieldInvalid(here, path, `cannot end with '${end}'`);
  } else if (type !== "ImplementationSpecific") {
    yield fieldNotSupported(at.child("pathType"), type, ["Exact", "ImplementationSpecific", "Prefix"]);
  }
  yield* backend(at.child("backend"), given.backend);
}

function* backend(at: Path, { resource, service }: IngressBackend): Issues {
  if (resource !== undefined && service !== undefined) {
    yield fieldInvalid(at, "", "cannot set both resource and service backends");
  } else if (resource !== undefined) yield* typedReference(at.child("resource"), resource);
  else if (service !== undefined) {
    if (!service.name) yield fieldRequired(at.child("service", "name"));
    else yield* formed(at.child("service", "name"), service.name, isDns1123Label(service.name));
    const { name = "", number = 0 } = service.port ?? {};
    if (name !== "" && number !== 0) yield fieldInvalid(at, "", "cannot set both port name & port number");
    else if (name !== "") yield* formed(at.child("service", "port", "name"), name, isPortName(name));
    else if (number !== 0) yield* portNumber(at.child("service", "port", "number"), number);
    else yield fieldRequired(at, "port name or number is required");
  } else yield fieldInvalid(at, "", "resource or service backend is required");
}

function* secured(at: Path, { hosts = [], secretName = "" }: IngressTLS): Issues {
  for (const [index, host] of hosts.entries()) yield* hostName(at.child("hosts").index(index), host);
  if (secretName !== "") yield* dns1123Subdomain(at.child("secretName"), secretName);
}

const classAnnotation = "kubernetes.io/ingress.class";

function* annotatedClass({ metadata, spec: { ingressClassName } }: Ingress): Issues {
  const annotation = metadata.annotations?.[classAnnotation];
  if (annotation === undefined || ingressClassName === undefined || annotation === ingressClassName) return;
  const at = fieldPath("annotations", classAnnotation);
  yield fieldInvalid(at, annotation, "must match `ingressClassName` when both are specified");
}

function* statusRules({ status }: Ingress): Issues {
  const at = fieldPath("status", "loadBalancer", "ingress");
  for (const [index, { ip = "", hostname = "" }] of (status?.loadBalancer?.ingress ?? []).entries()) {
    if (ip !== "") yield* ipAddress(at.index(index).child("ip"), ip);
    if (hostname === "") continue;
    const here = at.index(index).child("hostname");
    yield* dns1123Subdomain(here, hostname);
    if (familyOf(hostname) !== undefined) yield fieldInvalid(here, hostname, notAnAddress);
  }
}

export const ingressStrategy: Strategy<Ingress> = {
  group: "networking.k8s.io",
  kind: "Ingress",
  generation: "spec",
  validateCreate: (ingress) => [...ingressRules(ingress), ...annotatedClass(ingress)],
  validateUpdate: (ingress) => [...ingressRules(ingress)],
  status: { validateUpdate: (ingress) => [...statusRules(ingress)] },
};

function* classRules({ spec: { controller = "", parameters } }: IngressClass): Issues {
  if (byteLength(controller) > 250) yield fieldTooLong(spec.child("controller"), 250);
  yield* domainPrefixedPath(spec.child("controller"), controller);
  if (parameters !== undefined) yield* classParameters(spec.child("parameters"), parameters);
}

function* classParameters(at: Path, parameters: IngressClassParametersReference): Issues {
  yield* typedReference(at, parameters);
  const { scope, namespace } = parameters;
  const here = at.child("namespace");
  if (scope === "Namespace") {
    if (namespace === undefined) yield fieldRequired(here, "`parameters.scope` is set to 'Namespace'");
    else yield* formed(here, namespace, isDns1123Label(namespace));
  } else if (scope === "Cluster") {
    if (namespace !== undefined) yield fieldForbidden(here, "`parameters.scope` is set to 'Cluster'");
  } else yield fieldNotSupported(at.child("scope"), scope, ["Cluster", "Namespace"]);
}

export const ingressClassStrategy: Strategy<IngressClass> = {
  group: "networking.k8s.io",
  kind: "IngressClass",
  generation: "spec",
  setDefaults: (object) =>
    changed(object, "spec", (given) => changed(given, "parameters", (one) => filled(one, { scope: "Cluster" }))),
  validateCreate: (object) => [...classRules(object)],
  validateUpdate: (object, old) => [
    ...immutable(spec.child("controller"), object.spec.controller ?? "", old.spec.controller ?? ""),
    ...classRules(object),
  ],
};
