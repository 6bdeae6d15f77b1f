/** The order of groups and versions in discovery: the numbers that kube-apiserver gives the APIServices of its own groups. */
import { lookup } from "../../base/members.js";

/** Groups with a higher number come first in discovery. */
const groupPriorities: Readonly<Record<string, number>> = lookup({
  "apiregistration.k8s.io": 20_001,
  "": 18_000,
  apps: 17_800,
  "events.k8s.io": 17_750,
  "authentication.k8s.io": 17_700,
  "authorization.k8s.io": 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  "certificates.k8s.io": 17_300,
  "networking.k8s.io": 17_200,
  policy: 17_100,
  "rbac.authorization.k8s.io": 17_000,
  "storage.k8s.io": 16_800,
  "apiextensions.k8s.io": 16_700,
  "admissionregistration.k8s.io": 16_700,
  "scheduling.k8s.io": 16_600,
  "coordination.k8s.io": 16_500,
  "node.k8s.io": 16_300,
  "discovery.k8s.io": 16_200,
  "resource.k8s.io": 16_200,
  "flowcontrol.apiserver.k8s.io": 16_100,
});

/** Versions whose priority is not 15. */
const versionPriorities: Readonly<Record<string, number>> = lookup({
  "v1.": 1,
  "v2.autoscaling": 30,
  "v1.flowcontrol.apiserver.k8s.io": 21,
  "v1.resource.k8s.io": 21,
});

/** On a real cluster an extension server answers for these groups; they come last. */
const measuredGroup = /(^|\.)metrics\.k8s\.io$/;

/** The priority of a group that this server answers for. */
export function groupPriority(group: string): number {
  return groupPriorities[group] ?? (measuredGroup.test(group) ? 100 : 1000);
}

export function versionPriority(group: string, version: string): number {
  return groupPriorities[group] === undefined ? 100 : (versionPriorities[`${version}.${group}`] ?? 15);
}
