/**
 * The fields that each endpoint of the built-in kinds takes from the stored object, whatever is sent: no manager comes
 * to own them there.
 */
import { lookup } from "../../base/members.js";
import { type PathSet, recursiveDifference, setOf } from "./merge/path-set.js";

const status = setOf(["f:status"]);
const spec = setOf(["f:spec"]);
const metadataAndSpec = setOf(["f:metadata"], ["f:spec"]);

/** Kinds whose status endpoint leaves metadata unchanged, too. */
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

/** Endpoints that differ from the rule, by kind and subresource. */
const exceptions: Readonly<Record<string, PathSet>> = lookup({
  "CertificateSigningRequest/": setOf(["f:spec"], ["f:status"]),
  "CertificateSigningRequest/status": setOf(["f:spec"], ["f:status", "f:conditions"]),
  "CertificateSigningRequest/approval": setOf(["f:spec"], ["f:status", "f:certificate"]),
  "Deployment/status": setOf(["f:spec"], ["f:metadata", "f:labels"]),
  "Namespace/finalize": status,
  "Pod/status": setOf(["f:spec"], ["f:metadata", "f:deletionTimestamp"], ["f:metadata", "f:ownerReferences"]),
});

/** For a kind that has a status endpoint; all fields of other kinds can be owned. */
export function builtInOwnable(set: PathSet, kind: string, subresource: string): PathSet {
  const exception = exceptions[`${kind}/${subresource}`];
  if (exception !== undefined) return recursiveDifference(set, exception);
  if (subresource === "") return withoutReset.has(kind) ? set : recursiveDifference(set, status);
  if (subresource !== "status") return set;
  return recursiveDifference(set, statusKeepsMetadata.has(kind) ? metadataAndSpec : spec);
}

/** If a custom kind has a status endpoint, its main endpoint leaves status unchanged and the status endpoint everything else. */
export function customOwnable(set: PathSet, hasStatus: boolean, subresource: string): PathSet {
  if (subresource === "status") return recursiveDifference(set, metadataAndSpec);
  return hasStatus && subresource === "" ? recursiveDifference(set, status) : set;
}

/** The metadata that the status endpoint of a kind takes from the stored object: all of it, or the named members. */
export function metadataKeptByStatus(kind: string): "all" | readonly ("labels" | "ownerReferences")[] {
  if (statusKeepsMetadata.has(kind)) return "all";
  return kind === "Deployment" ? ["labels"] : kind === "Pod" ? ["ownerReferences"] : [];
}
