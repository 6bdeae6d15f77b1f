/**
 * LimitRanger: a namespace's limit ranges fill in defaults of containers, and refuse requests that are too small, too
 * large, or too far below their limits.
 */
import { defined } from "../../../base/defined.js";
import {
  type Amounts,
  amountsOf,
  type Container,
  type LimitRange,
  type LimitRangeItem,
  newForbidden,
  type PersistentVolumeClaim,
  type Pod,
  podAmounts,
  type Quantity,
  type ResourceList,
} from "../../../api/index.js";
import { objectsIn, type Store } from "../../storage/contract.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";
import { joinedErrors } from "../../../api/errors/field-error.js";

const annotation = "kubernetes.io/limit-ranger";

export function limitRanger(store: Store): AdmissionPlugin {
  const rangesFor = (request: AdmissionRequest): readonly LimitRange[] => {
    if (!isLimited(request) || request.old?.metadata.deletionTimestamp !== undefined) return [];
    return objectsIn<LimitRange>(store, "limitranges", request.namespace);
  };
  return {
    name: "LimitRanger",
    mutate(request) {
      if (request.resource.resource !== "pods") return request.object;
      return rangesFor(request).reduce((pod, { spec }) => withDefaults(pod, spec?.limits ?? []), request.object as Pod);
    },
    validate(request) {
      const { object, resource, name } = request;
      for (const { spec } of rangesFor(request)) {
        const problems = (spec?.limits ?? []).flatMap((item) => violations(item, object as Pod));
        if (problems.length > 0) throw newForbidden(resource, name, joinedErrors(problems));
      }
    },
  };
}

/** Pods when they are created or resized, claims whenever they are written. */
function isLimited({ resource, subresource, operation }: AdmissionRequest): boolean {
  if (resource.group !== "" || operation === "DELETE" || operation === "CONNECT") return false;
  if (resource.resource === "pods") return subresource === (operation === "CREATE" ? "" : "resize");
  return resource.resource === "persistentvolumeclaims" && subresource === "";
}

function withDefaults(pod: Pod, items: readonly LimitRangeItem[]): Pod {
  const defaults = items.filter(({ type }) => type === "Container");
  const requests: ResourceList = Object.assign({}, ...defaults.map(({ defaultRequest }) => defaultRequest));
  const limits: ResourceList = Object.assign({}, ...defaults.map((item) => item.default));
  const notes: string[] = [];
  const filled = (container: Container, what: string): Container => {
    const { resources = {}, name } = container;
    const missing = (called: string, list: ResourceList, given: ResourceList = {}): ResourceList => {
      const names = Object.keys(list).filter((one) => !Object.hasOwn(given, one));
      if (names.length > 0) notes.push(`${names.toSorted().join(", ")} ${called} for ${what} ${name}`);
      return { ...given, ...Object.fromEntries(names.map((one) => [one, list[one] as string])) };
    };
    const before = notes.length;
    const request = missing("request", requests, resources.requests);
    const limit = missing("limit", limits, resources.limits);
    if (notes.length === before) return container;
    const nonEmpty = (list: ResourceList): boolean => Object.keys(list).length > 0;
    return {
      ...container,
      resources: {
        ...resources,
        ...(nonEmpty(limit) ? { limits: limit } : {}),
        ...(nonEmpty(request) ? { requests: request } : {}),
      },
    };
  };
  const containers = pod.spec?.containers.map((container) => filled(container, "container")) ?? [];
  const first = pod.spec?.initContainers?.map((container) => filled(container, "init container"));
  if (notes.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join("; ")}` };
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...pod.spec, containers, ...defined({ initContainers: first }) },
  };
}

function violations(item: LimitRangeItem, object: Pod | PersistentVolumeClaim): readonly string[] {
  if (object.kind === "PersistentVolumeClaim") {
    if (item.type !== "PersistentVolumeClaim") return [];
    return claimViolations(item, amountsOf((object as PersistentVolumeClaim).spec?.resources?.requests));
  }
  const pod = object as Pod;
  if (item.type === "Pod") return usageViolations(item, podAmounts(pod, "requests"), podAmounts(pod, "limits"));
  if (item.type !== "Container") return [];
  return [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].flatMap(({ resources }) =>
    usageViolations(item, amountsOf(resources?.requests), amountsOf(resources?.limits)),
  );
}

/** For a claim only the request counts. */
function claimViolations({ type, min, max }: LimitRangeItem, requests: Amounts): readonly string[] {
  return [
    ...each(min, (name, bound) => tooLittle({ type, name, bound }, requests.get(name), undefined)),
    ...each(max, (name, bound) => {
      const request = requests.get(name);
      const maximum = `maximum ${name} usage per ${type} is ${bound}`;
      if (request === undefined) return `${maximum}.  No request is specified`;
      return request.compare(bound) > 0 ? `${maximum}, but request is ${request}` : undefined;
    }),
  ];
}

function usageViolations(item: LimitRangeItem, requests: Amounts, limits: Amounts): readonly string[] {
  const { type, min, max, maxLimitRequestRatio } = item;
  return [
    ...each(min, (name, bound) => tooLittle({ type, name, bound }, requests.get(name), limits.get(name))),
    ...each(max, (name, bound) => tooMuch({ type, name, bound }, requests.get(name), limits.get(name))),
    ...each(maxLimitRequestRatio, (name, bound) =>
      tooWide({ type, name, bound }, requests.get(name), limits.get(name)),
    ),
  ];
}

function each(list: ResourceList | undefined, rule: (name: string, bound: Quantity) => string | undefined): string[] {
  return [...amountsOf(list)].flatMap(([name, bound]) => rule(name, bound) ?? []);
}

interface Bound {
  readonly type: string;
  readonly name: string;
  readonly bound: Quantity;
}

type Amount = Quantity | undefined;

function tooLittle({ type, name, bound }: Bound, request: Amount, limit: Amount): string | undefined {
  const minimum = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${minimum}.  No request is specified`;
  if (request.compare(bound) < 0) return `${minimum}, but request is ${request}`;
  return limit !== undefined && limit.compare(bound) < 0 ? `${minimum}, but limit is ${limit}` : undefined;
}

function tooMuch({ type, name, bound }: Bound, request: Amount, limit: Amount): string | undefined {
  const maximum = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) return `${maximum}.  No limit is specified`;
  if (limit.compare(bound) > 0) return `${maximum}, but limit is ${limit}`;
  return request !== undefined && request.compare(bound) > 0 ? `${maximum}, but request is ${request}` : undefined;
}

function tooWide({ type, name, bound }: Bound, request: Amount, limit: Amount): string | undefined {
  const ratio = `${name} max limit to request ratio per ${type} is ${bound}`;
  if (request === undefined || request.isZero) return `${ratio}, but no request is specified or request is 0`;
  if (limit === undefined || limit.isZero) return `${ratio}, but no limit is specified or limit is 0`;
  const actual = Number(limit.milliValue()) / Number(request.milliValue());
  return actual * 1000 > Number(bound.milliValue())
    ? `${ratio}, but provided ratio is ${actual.toFixed(6)}`
    : undefined;
}
