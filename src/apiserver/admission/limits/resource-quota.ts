/**
 * ResourceQuota: charges a write to the quotas of its namespace, and refuses it if it would exceed one. The quota's
 * status is the count: a controller recomputes it, and admission only adds to it, in the same synchronous step as the
 * check.
 */
import {
  addAmounts,
  type Amounts,
  amountsOf,
  computeUsage,
  type Container,
  formatTime,
  type KubeObject,
  newForbidden,
  onlyAmounts,
  type Pod,
  printAmounts,
  type QuotaCircumstances,
  quotaMatches,
  quotaNamesFor,
  quotaScopeMatches,
  quotaScopes,
  quotaUsage,
  resourceListOf,
  type ResourceQuota,
  subtractAmounts,
} from "../../../api/index.js";
import { type Clock, inOneGo } from "../../../base/index.js";
import type { FieldManager } from "../../contracts/field-manager.js";
import { objectsIn, type Store, type StoreWrite } from "../../storage/contract.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";
import { devicesIn } from "./devices.js";
import { type QuotaUse, type LimitedResource, requireCoverage } from "./limited-resources.js";

const collection = "resourcequotas";

export interface QuotaOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Records the manager of the status that this plug-in writes. */
  readonly fieldManager: FieldManager;
  readonly limitedResources: readonly LimitedResource[];
}

export function resourceQuotas({
  store,
  clock,
  fieldManager,
  limitedResources: limited,
}: QuotaOptions): AdmissionPlugin {
  return {
    name: "ResourceQuota",
    validate(request) {
      if ((store.count(collection) === 0 && limited.length === 0) || !isCharged(request)) return;
      const quotas = objectsIn<ResourceQuota>(store, collection, request.namespace);
      const circumstances = { now: clock.now(), devices: devicesIn(store) };
      const charged = quotas.flatMap((quota) => charge(quota, request, circumstances) ?? []);
      if (limited.length > 0) requireCoverage(limited, useOf(quotas, request, circumstances));
      if (request.dryRun || charged.length === 0) return;
      const time = formatTime(clock.now());
      store.commit(charged.map((quota) => put(store, quota, { fieldManager, time })));
    },
  };
}

function useOf(
  quotas: readonly ResourceQuota[],
  { resource: of, name, object }: AdmissionRequest,
  around: Required<QuotaCircumstances>,
): QuotaUse {
  const charged = object as KubeObject;
  const names = quotas.flatMap(({ spec = {}, status: { hard = {} } = {} }) =>
    quotaMatches(of, charged, { spec, hard, devices: around.devices })
      ? quotaNamesFor(of, Object.keys(hard), around.devices)
      : [],
  );
  const scopes = quotas.flatMap(({ spec = {} }) => quotaScopes(spec));
  return {
    of,
    name,
    object: charged,
    usage: quotaUsage(of, charged, around),
    names: new Set(names),
    scopes: scopes.filter((scope) => quotaScopeMatches(of, charged, scope)),
  };
}

function put(
  store: Store,
  quota: ResourceQuota,
  { fieldManager, time }: { readonly fieldManager: FieldManager; readonly time: string },
): StoreWrite {
  const { namespace = "", name } = quota.metadata;
  const key = `${namespace}/${name}`;
  const current = store.get(collection, key);
  const write = { manager: "kube-apiserver", apiVersion: "v1", subresource: "status", time };
  const object = inOneGo(fieldManager.update(current?.object, quota, write));
  return { type: "put", collection, key, expected: current?.revision ?? 0, object };
}

/** Whether the request can change a count of a quota. */
function isCharged({ operation, resource, subresource, namespace, object, old }: AdmissionRequest): boolean {
  if (namespace === "" || object === undefined || operation === "DELETE" || operation === "CONNECT") return false;
  if (resource.resource === "events") return false;
  const updates = operation === "UPDATE";
  if (resource.group === "resource.k8s.io" && resource.resource === "resourceclaims") return subresource === "";
  if (resource.group === "") {
    switch (resource.resource) {
      case "pods":
        if (subresource === "resize") return updates;
        if (subresource !== "") return false;
        return !updates || hasDeadline(object as Pod) !== hasDeadline(old as Pod);
      case "services":
        return subresource === "";
      case "persistentvolumeclaims":
        return subresource === "" || subresource === "status";
    }
  }
  return subresource === "" && !updates;
}

const hasDeadline = ({ spec }: Pod): boolean => (spec?.activeDeadlineSeconds ?? -1) >= 0;

/** The quota with this request added; undefined if the quota does not change. Throws a 403 if it would be exceeded. */
function charge(
  quota: ResourceQuota,
  request: AdmissionRequest,
  around: Required<QuotaCircumstances>,
): ResourceQuota | undefined {
  const { resource: of, old, operation, subresource, name } = request;
  const object = request.object as Pod;
  const refuse = (why: string): never => {
    throw newForbidden(of, name, why);
  };
  const { hard = {}, used = {} } = quota.status ?? {};
  const rule = { spec: quota.spec ?? {}, hard, devices: around.devices };
  if (!quotaMatches(of, object, rule)) return undefined;
  const names = quotaNamesFor(of, Object.keys(hard), around.devices);
  const missing = of.group === "" && of.resource === "pods" ? missingAmounts(object, names) : undefined;
  if (missing !== undefined) refuse(`failed quota: ${quota.metadata.name}: must specify ${missing}`);
  if (names.some((one) => used[one] === undefined)) {
    refuse(`status unknown for quota: ${quota.metadata.name}, resources: ${names.join(",")}`);
  }
  const usage = quotaUsage(of, object, around);
  const before =
    operation === "UPDATE" && old !== undefined && quotaMatches(of, old, rule)
      ? quotaUsage(of, old, around)
      : new Map();
  const delta = onlyAmounts(nonZero(subtractAmounts(usage, before)), Object.keys(hard));
  if (delta.size === 0) return undefined;
  const after = addAmounts(amountsOf(used), delta);
  const limits = amountsOf(hard);
  const exceeded = [...delta.keys()].filter((one) => (after.get(one)?.compare(limits.get(one) as never) ?? 0) > 0);
  if (exceeded.length > 0 && subresource !== "status") {
    const print = (amounts: Amounts): string => printAmounts(onlyAmounts(amounts, exceeded));
    refuse(
      `exceeded quota: ${quota.metadata.name}, requested: ${print(delta)}, used: ${print(amountsOf(used))}, limited: ${print(limits)}`,
    );
  }
  return { ...quota, status: { ...quota.status, used: resourceListOf(after) } };
}

const nonZero = (amounts: Amounts): Amounts => new Map([...amounts].filter(([, amount]) => !amount.isZero));

/** If one of these is limited by a quota, every container must set it. */
const mustBeSaid = new Set(["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"]);

function missingAmounts({ spec }: Pod, names: readonly string[]): string | undefined {
  const { requests, limits } = spec?.resources ?? {};
  const podLevel = [requests, limits].some((list) =>
    Object.keys(list ?? {}).some((name) => name === "cpu" || name === "memory" || name.startsWith("hugepages-")),
  );
  if (podLevel) return undefined;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const lacking = (name: string): readonly string[] =>
    containers
      .filter((container) => !saidBy(container).has(name))
      .map((container) => container.name)
      .toSorted();
  const parts = names
    .filter((name) => mustBeSaid.has(name))
    .map((name) => ({ name, without: [...new Set(lacking(name))] }))
    .filter(({ without }) => without.length > 0);
  if (parts.length === 0) return undefined;
  return parts.map(({ name, without }) => `${name} for: ${without.join(",")}`).join("; ");
}

function saidBy({ resources }: Container): Amounts {
  return computeUsage(amountsOf(resources?.requests), amountsOf(resources?.limits));
}
