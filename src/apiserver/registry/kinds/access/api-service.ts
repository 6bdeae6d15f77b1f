/**
 * The strategy of APIServices, which name the server of a group and version. This server answers for APIServices that
 * name no service.
 */
import {
  type APIService as AnyService,
  fieldPath,
  formatTime,
  isDns1035Label,
  isPathSegmentName,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { changed, filled } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { dns1123Subdomain, formed, type Issues, optionalOneOf, requiredFields } from "../rules/issues.js";
import { pathSegment } from "../rules/names.js";

type Service = WithSpec<AnyService>;

const at = fieldPath("spec");

function* serviceRules({ spec, metadata }: Service): Issues {
  const { group = "", version = "" } = spec;
  const required = `${version}.${group}`;
  for (const field of ["name", "generateName"] as const) {
    const name = metadata[field] ?? "";
    if (name === "" || name === required || isPathSegmentName(name).length > 0) continue;
    const why = `must be \`spec.version+"."+spec.group\`: "${required}"`;
    yield fieldPath("metadata", field).invalid(name, why);
  }
  if (group === "" && version !== "v1") {
    yield at.child("group").required("only v1 may have an empty group and it better be legacy kube");
  }
  if (group !== "") yield* dns1123Subdomain(at.child("group"), group);
  yield* formed(at.child("version"), version, isDns1035Label(version));
  const priorities = { groupPriorityMinimum: 20_000, versionPriority: 1000 } as const;
  for (const [name, most] of Object.entries(priorities)) {
    const value = spec[name as keyof typeof priorities] ?? 0;
    if (value > 0 && value <= most) continue;
    yield at.child(name).invalid(value, `must be positive and less than ${most}`);
  }
  yield* whereItIs(spec);
}

function* whereItIs({ service, caBundle = "", insecureSkipTLSVerify: careless = false }: Service["spec"]): Issues {
  const here = at.child("insecureSkipTLSVerify");
  if (service === undefined) {
    if (caBundle !== "") {
      const bytes = `${Buffer.from(caBundle, "base64").length} bytes`;
      yield at.child("caBundle").invalid(bytes, "local APIServices may not have a caBundle");
    }
    if (careless) yield here.invalid(true, "local APIServices may not have insecureSkipTLSVerify");
    return;
  }
  yield* requiredFields(at.child("service"), service, "namespace", "name");
  const { port = 443 } = service;
  if (port < 1 || port > 65_535) {
    const why = "port is not valid: must be between 1 and 65535, inclusive";
    yield at.child("service", "port").invalid(port, why);
  }
  if (careless && caBundle !== "") yield here.invalid(true, "may not be true if caBundle is present");
}

function* statusRules({ status }: Service): Issues {
  for (const [place, condition] of fieldPath("status", "conditions").items(status?.conditions)) {
    yield* optionalOneOf(place.child("status"), condition.status ?? "", ["True", "False", "Unknown"]);
  }
}

export const apiServiceStrategy: Strategy<Service> = {
  group: "apiregistration.k8s.io",
  kind: "APIService",
  lenient: { finalizers: true },
  allowUnconditionalUpdate: false,
  validateName: pathSegment,
  setDefaults: (service) =>
    changed(service, "spec", (spec) => changed(spec, "service", (reference) => filled(reference, { port: 443 }))),
  prepareForCreate: (service, { now }) => {
    if (service.spec.service !== undefined) return service;
    const available = {
      type: "Available",
      status: "True",
      lastTransitionTime: formatTime(now),
      reason: "Local",
      message: "Local APIServices are always available",
    } as const;
    return { ...service, status: { conditions: [available] } };
  },
  validateCreate: serviceRules,
  status: { validateUpdate: statusRules },
};
