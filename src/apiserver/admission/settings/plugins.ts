/** Takes the settings of a plug-in as text (YAML or JSON); gives them checked. Each reader throws a ConfigurationError with all faults. */
import {
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  type ScopedResourceSelectorRequirement,
  type Toleration,
} from "../../../api/index.js";
import { defined } from "../../../base/defined.js";
import { readConfiguration, readFields, type Section } from "../../configuration/section.js";
import { tolerations as tolerationFaults } from "../../registry/kinds/pod/validation/scheduling.js";
import type { LimitedResource } from "../limits/limited-resources.js";
import type { EventRateLimit } from "../optional/event-rate.js";
import type { NodeSelectors, TolerationSettings } from "../optional/pods.js";
import { freePolicy, type LevelVersion, levels, minorOf, type PodSecuritySettings } from "../pod-security/policy.js";

const nobody: PodSecuritySettings["exempt"] = {
  namespaces: new Set(),
  users: new Set(),
  runtimeClasses: new Set(),
};

export const withoutExemptions: PodSecuritySettings = { defaults: freePolicy, exempt: nobody };

const securityVersions = ["v1", "v1beta1", "v1alpha1"].map((one) => `pod-security.admission.config.k8s.io/${one}`);

export function readPodSecurity(text: string): PodSecuritySettings {
  const expected = { kind: "PodSecurityConfiguration", apiVersions: securityVersions, strict: true };
  return readConfiguration(text, expected, (file) => {
    const [levelsOf, exemptions] = [file.part("defaults"), file.part("exemptions")];
    const mode = (name: string): LevelVersion => levelIn(levelsOf, name);
    const names = (name: string, complaints: (text: string) => readonly string[]): ReadonlySet<string> =>
      distinct(exemptions, name, complaints);
    return {
      defaults: { enforce: mode("enforce"), audit: mode("audit"), warn: mode("warn") },
      exempt: {
        namespaces: names("namespaces", isDns1123Label),
        users: names("usernames", (user) => (user === "" ? ["username must not be empty"] : [])),
        runtimeClasses: names("runtimeClasses", isDns1123Subdomain),
      },
    };
  }).value;
}

function levelIn(section: Section, mode: string): LevelVersion {
  const [level, version] = [section.text(mode) || "privileged", section.text(`${mode}-version`) || "latest"];
  const known = levels.find((one) => one === level);
  if (known === undefined) section.fault(section.at(mode).invalid(level, `must be one of ${levels.join(", ")}`));
  const minor = minorOf(version);
  if (minor === null) section.fault(section.at(`${mode}-version`).invalid(version, 'must be "latest" or "v1.x"'));
  return { level: known ?? "privileged", minor: minor ?? undefined };
}

function distinct(
  section: Section,
  name: string,
  complaints: (text: string) => readonly string[],
): ReadonlySet<string> {
  const seen = new Set<string>();
  for (const [at, text] of section.at(name).items(section.texts(name))) {
    const found = complaints(text);
    if (found.length > 0) section.fault(at.invalid(text, found.join(", ")));
    else if (seen.has(text)) section.fault(at.duplicate(text));
    seen.add(text);
  }
  return seen;
}

/** A selector for each namespace whose pods may not ask for others, and one for `clusterDefaultNodeSelector`. */
export function readNodeSelectors(text: string): NodeSelectors {
  return readFields(text, (file) => {
    const section = file.part("podNodeSelectorPluginConfig");
    return new Map(section.names().map((name) => [name, section.text(name)]));
  });
}

export function readTolerations(text: string): TolerationSettings {
  const apiVersions = ["podtolerationrestriction.admission.k8s.io/v1alpha1"];
  return readConfiguration(text, { kind: "Configuration", apiVersions }, (file) => ({
    defaults: tolerationsIn(file, "default"),
    permitted: tolerationsIn(file, "whitelist"),
  })).value;
}

function tolerationsIn(file: Section, name: string): readonly Toleration[] {
  const given = file.sections(name).map((section) => {
    const [key, operator, value, effect] = ["key", "operator", "value", "effect"].map(
      (one) => section.text(one) || undefined,
    );
    return defined({ key, operator, value, effect, tolerationSeconds: section.number("tolerationSeconds") });
  }) as readonly Toleration[];
  for (const fault of tolerationFaults(fieldPath("podtolerationrestriction", name), given)) file.fault(fault);
  return given;
}

export function readLimitedResources(text: string): readonly LimitedResource[] {
  const apiVersions = ["v1", "v1beta1", "v1alpha1"].map((one) => `apiserver.config.k8s.io/${one}`);
  const expected = { kind: "ResourceQuotaConfiguration", apiVersions, strict: true };
  return readConfiguration(text, expected, (file) =>
    file.sections("limitedResources").map((section) => {
      const resource = section.text("resource");
      if (resource === "") section.fault(section.at("resource").required());
      return {
        group: section.text("apiGroup"),
        resource,
        matchContains: section.texts("matchContains"),
        matchScopes: section.sections("matchScopes").map(scopeIn),
      };
    }),
  ).value;
}

const scopeIn = (section: Section): ScopedResourceSelectorRequirement =>
  ({
    scopeName: section.text("scopeName"),
    operator: section.text("operator"),
    values: section.texts("values"),
  }) as ScopedResourceSelectorRequirement;

const limitTypes = ["User", "SourceAndObject", "Server", "Namespace"] as const;

export function readEventRates(text: string): readonly EventRateLimit[] {
  const apiVersions = ["eventratelimit.admission.k8s.io/v1alpha1"];
  return readConfiguration(text, { kind: "Configuration", apiVersions }, (file) => {
    const limits = file.sections("limits");
    if (limits.length === 0) file.fault(file.at("limits").invalid(null, "must not be empty"));
    return limits.map((section) => {
      const type = section.text("type");
      if (!limitTypes.some((one) => one === type)) section.fault(section.at("type").notSupported(type, limitTypes));
      const [burst, qps, cacheSize] = [positive(section, "burst"), positive(section, "qps"), sizeIn(section)];
      return { type: type as EventRateLimit["type"], qps, burst, ...defined({ cacheSize }) };
    });
  }).value;
}

function positive(section: Section, name: string): number {
  const value = section.number(name) ?? 0;
  if (value <= 0) section.fault(section.at(name).invalid(value, "must be positive"));
  return value;
}

function sizeIn(section: Section): number | undefined {
  const value = section.number("cacheSize") ?? 0;
  if (value < 0) section.fault(section.at("cacheSize").invalid(value, "must not be negative"));
  return value || undefined;
}
