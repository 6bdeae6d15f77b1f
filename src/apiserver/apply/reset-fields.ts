/** The fields that each endpoint of the built-in kinds takes from the stored object whatever is sent: nobody comes to own them there. */
import { emptySet, type PathSet, setOf } from "./merge/path-set.js";

const status = setOf(["f:status"]);
const spec = setOf(["f:spec"]);
const metadataAndSpec = setOf(["f:metadata"], ["f:spec"]);

/** Kinds whose status endpoint leaves metadata alone, too. */
const statusKeepsMetadata: ReadonlySet<string> = new Set([
  "CustomResourceDefinition",
  "DeviceTaintRule",
  "FlowSchema",
  "PodGroup",
  "PriorityLevelConfiguration",
  "ResourceClaim",
  "ResourcePoolStatusRequest",
  "ServiceCIDR",
  "StorageVersion",
  "StorageVersionMigration",
  "ValidatingAdmissionPolicy",
  "VolumeAttachment",
]);

const withoutReset: ReadonlySet<string> = new Set(["ServiceCIDR", "PodCertificateRequest"]);

/** Endpoints that differ from the rule: by kind and subresource. */
const exceptions: Readonly<Record<string, PathSet>> = {
  "CertificateSigningRequest/": setOf(["f:spec"], ["f:status"]),
  "CertificateSigningRequest/status": setOf(["f:spec"], ["f:status", "f:conditions"]),
  "CertificateSigningRequest/approval": setOf(["f:spec"], ["f:status", "f:certificate"]),
  "Deployment/status": setOf(["f:spec"], ["f:metadata", "f:labels"]),
  "Namespace/finalize": status,
  "Pod/status": setOf(["f:spec"], ["f:metadata", "f:deletionTimestamp"], ["f:metadata", "f:ownerReferences"]),
};

/** For a kind that has a status endpoint; any other kind resets nothing. */
export function builtInResetFields(kind: string, subresource: string): PathSet {
  const exception = exceptions[`${kind}/${subresource}`];
  if (exception !== undefined) return exception;
  if (subresource === "") return withoutReset.has(kind) ? emptySet : status;
  if (subresource !== "status") return emptySet;
  return statusKeepsMetadata.has(kind) ? metadataAndSpec : spec;
}

/** Custom kinds: with a status endpoint, the main one leaves status alone and the other one all else. */
export function customResetFields(hasStatus: boolean, subresource: string): PathSet {
  if (subresource === "status") return metadataAndSpec;
  return hasStatus && subresource === "" ? status : emptySet;
}
