/** The fields that each endpoint of the built-in kinds takes from the stored object whatever is sent: nobody comes to own them there. */
import { lookup } from "../../base/members.js";
import { type PathSet, recursiveDifference, setOf } from "./merge/path-set.js";

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
const exceptions: Readonly<Record<string, PathSet>> = lookup({
  "CertificateSigningRequest/": setOf(["f:spec"], ["f:status"]),
  "CertificateSigningRequest/status": setOf(["f:spec"], ["f:status", "f:conditions"]),
  "CertificateSigningRequest/approval": setOf(["f:spec"], ["f:status", "f:certificate"]),
  "Deployment/status": setOf(["f:spec"], ["f:metadata", "f:labels"]),
  "Namespace/finalize": status,
  "Pod/status": setOf(["f:spec"], ["f:metadata", "f:deletionTimestamp"], ["f:metadata", "f:ownerReferences"]),
});

/** For a kind that has a status endpoint; at any other kind all fields can be owned. */
export function builtInOwnable(set: PathSet, kind: string, subresource: string): PathSet {
  const exception = exceptions[`${kind}/${subresource}`];
  if (exception !== undefined) return recursiveDifference(set, exception);
  if (subresource === "") return withoutReset.has(kind) ? set : recursiveDifference(set, status);
  if (subresource !== "status") return set;
  return recursiveDifference(set, statusKeepsMetadata.has(kind) ? metadataAndSpec : spec);
}

/** Custom kinds: with a status endpoint, the main one leaves status alone and the other one all else. */
export function customOwnable(set: PathSet, hasStatus: boolean, subresource: string): PathSet {
  if (subresource === "status") return recursiveDifference(set, metadataAndSpec);
  return hasStatus && subresource === "" ? recursiveDifference(set, status) : set;
}

/** What the status endpoint of a kind takes from the stored metadata: all of it, or the members named. */
export function metadataKeptByStatus(kind: string): "all" | readonly ("labels" | "ownerReferences")[] {
  if (statusKeepsMetadata.has(kind)) return "all";
  return kind === "Deployment" ? ["labels"] : kind === "Pod" ? ["ownerReferences"] : [];
}
