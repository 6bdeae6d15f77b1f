/** Strategies of device claims, their templates and device classes. */
import {
  type DeviceClass as AnyClass,
  fieldPath,
  type ResourceClaim as AnyClaim,
  type ResourceClaimSpec,
  type ResourceClaimTemplate as AnyTemplate,
  semanticEqual,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { changed, nullIfEmpty } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { immutable, type Issues } from "../rules/issues.js";
import { pathSegment, subdomainName } from "../rules/names.js";
import { isExtendedResource } from "../rules/resources.js";
import { templateMetadata } from "../volumes/claim-spec.js";
import { statusDefaults, statusRules, withoutFreedDevices } from "./claim-status.js";
import { limited } from "./names.js";
import { claimDefaults, claimRules } from "./requests.js";
import { configurationRules, maxConfigurations, selectorRules } from "./selectors.js";

type Claim = WithSpec<AnyClaim>;
type Template = WithSpec<AnyTemplate>;
type Class = WithSpec<AnyClass>;

const group = "resource.k8s.io";
const spec = fieldPath("spec");

const stored = (given: ResourceClaimSpec): ResourceClaimSpec =>
  changed(given, "devices", (devices) => nullIfEmpty(devices, "requests"));

export const resourceClaimStrategy: Strategy<Claim> = {
  group,
  kind: "ResourceClaim",
  deleteReturnsObject: true,
  setDefaults: (claim) =>
    changed(
      changed(claim, "spec", (given) => changed(given, "devices", claimDefaults)),
      "status",
      statusDefaults,
    ),
  prepareForCreate: (claim) => changed(claim, "spec", stored),
  prepareForUpdate: (claim) => changed(claim, "spec", stored),
  validateCreate: (claim) => claimRules(spec.child("devices"), claim.spec.devices ?? {}),
  validateUpdate: (claim, old) => immutable(spec, claim.spec, old.spec),
  status: {
    prepareForUpdate: (claim, old) => withoutFreedDevices(claim, old) as Claim,
    validateUpdate: statusRules,
  },
};

function* templateRules({ spec: outer }: Template): Issues {
  yield* templateMetadata(spec.child("metadata"), outer.metadata);
  yield* claimRules(spec.child("spec", "devices"), outer.spec?.devices ?? {});
}

export const resourceClaimTemplateStrategy: Strategy<Template> = {
  group,
  kind: "ResourceClaimTemplate",
  deleteReturnsObject: true,
  setDefaults: (template) =>
    changed(template, "spec", (outer) => changed(outer, "spec", (given) => changed(given, "devices", claimDefaults))),
  prepareForCreate: (template) => changed(template, "spec", (outer) => changed(outer, "spec", stored)),
  prepareForUpdate: (template) => changed(template, "spec", (outer) => changed(outer, "spec", stored)),
  validateCreate: templateRules,
  validateUpdate: (template, old) => [...templateRules(template), ...immutable(spec, template.spec, old.spec)],
};

function* classRules({ spec: given }: Class, old: Class | undefined): Issues {
  yield* selectorRules(spec.child("selectors"), given.selectors);
  const isStored = old !== undefined && semanticEqual(given.config, old.spec.config);
  yield* limited(spec.child("config"), given.config, maxConfigurations, (at, configuration) =>
    configurationRules(at, configuration, isStored),
  );
  const name = given.extendedResourceName;
  if (name !== undefined && !isExtendedResource(name)) {
    yield spec.child("extendedResourceName").invalid(name, "must be a valid extended resource name");
  }
}

export const deviceClassStrategy: Strategy<Class> = {
  group,
  kind: "DeviceClass",
  validateName: (name, prefix) =>
    prefix
      ? pathSegment(name, prefix)
      : subdomainName(name, prefix).map((why) => why.replace("253 characters", "253 bytes")),
  generation: "spec",
  deleteReturnsObject: true,
  validateCreate: (one) => classRules(one, undefined),
  validateUpdate: classRules,
};
