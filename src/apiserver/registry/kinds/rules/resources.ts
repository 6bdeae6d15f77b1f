/** Rules for names and amounts of resources in containers, claims, quotas and limit ranges. */
import { isQualifiedName, parseQuantity, type Quantity, type ResourceRequirements } from "../../../../api/index.js";
import { own } from "../../../../base/members.js";
import { dns1123Label, type Issues, negativeNumber, type Path, qualifiedName, type ValueRule } from "./issues.js";

const standardContainerResources = new Set(["cpu", "memory", "ephemeral-storage"]);

const countedResources = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];

const computeResources = [
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "requests.storage",
];

const standardQuotaResources = new Set([...countedResources, ...computeResources]);
const standardResources = new Set([...countedResources, ...computeResources, "storage"]);
const integerResources = new Set(countedResources);

export const isHugePages = (name: string): boolean => name.startsWith("hugepages-");
const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith("requests.hugepages-");
const isStandardResource = (name: string): boolean => standardResources.has(name) || isQuotaHugePages(name);
export const isStandardQuotaResource = (name: string): boolean =>
  standardQuotaResources.has(name) || isQuotaHugePages(name);

/** True for names in Kubernetes' own domain, which may be left out. */
export const isNativeResource = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name);

export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith("requests.")) return false;
  return isQualifiedName(`requests.${name}`).length === 0;
}

const isIntegerResource = (name: string): boolean => integerResources.has(name) || isExtendedResource(name);

export function* resourceName(at: Path, name: string): Issues {
  const wrong = [...qualifiedName(at, name)];
  yield* wrong;
  if (wrong.length === 0 && !name.includes("/") && !isStandardResource(name)) {
    yield at.invalid(name, "must be a standard resource type or fully qualified");
  }
}

export function* containerResourceName(at: Path, name: string): Issues {
  yield* resourceName(at, name);
  if (!name.includes("/")) {
    if (!standardContainerResources.has(name) && !isHugePages(name)) {
      yield at.invalid(name, "must be a standard resource for containers");
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    yield at.invalid(name, "doesn't follow extended resource name standard");
  }
}

export function* nonNegativeQuantity(at: Path, text: string): Issues {
  if (parseQuantity(text).sign < 0) yield at.invalid(text, negativeNumber);
}

/** An amount must not be negative, and must be whole for a counted resource. */
export function* resourceAmount(at: Path, name: string, text: string): Issues {
  yield* nonNegativeQuantity(at, text);
  if (isIntegerResource(name) && parseQuantity(text).milliValue() % 1000n !== 0n) {
    yield at.invalid(text, "must be an integer");
  }
}

/** Amounts of claims and volumes are read as whole bytes. */
export function* basicAmount(at: Path, text: string): Issues {
  const value = parseQuantity(text).value();
  if (value < 0n) yield at.invalid(Number(value), "must be a valid resource quantity");
}

function isDivisible(name: string, quantity: Quantity): boolean {
  try {
    const size = parseQuantity(name.slice("hugepages-".length));
    if (size.sign <= 0 || size.milliValue() % 1000n !== 0n) return false;
    return quantity.value() % size.value() === 0n;
  } catch {
    return false;
  }
}

function* hugePages(at: Path, name: string, text: string): Issues {
  if (isHugePages(name) && !isDivisible(name, parseQuantity(text))) {
    yield at.invalid(text, `${text} is not positive integer multiple of ${name}`);
  }
}

export function* resourceRequirements(
  at: Path,
  requirements: ResourceRequirements | undefined,
  rules: { readonly name?: ValueRule; readonly podClaims?: ReadonlySet<string> } = {},
): Issues {
  const { limits = {}, requests = {}, claims = [] } = requirements ?? {};
  const nameRule = rules.name ?? containerResourceName;
  for (const [list, amounts] of Object.entries({ limits, requests })) {
    for (const [name, amount] of Object.entries(amounts)) {
      const here = at.child(list).key(name);
      yield* nameRule(here, name);
      yield* resourceAmount(here, name, amount);
      if (list === "requests") yield* requestWithinLimit(at, { name, amount, limit: own(limits, name) });
      yield* hugePages(here, name, amount);
    }
  }
  const asked = [...Object.keys(limits), ...Object.keys(requests)];
  if (asked.some((name) => isHugePages(name)) && !asked.includes("cpu") && !asked.includes("memory")) {
    yield at.forbidden("HugePages require cpu or memory");
  }
  yield* claimNames(at.child("claims"), claims, rules.podClaims ?? new Set());
}

function* requestWithinLimit(
  at: Path,
  request: { readonly name: string; readonly amount: string; readonly limit: string | undefined },
): Issues {
  const { name, amount, limit } = request;
  if (limit === undefined) {
    if (!isOvercommitAllowed(name)) {
      yield at.child("limits").required("Limit must be set for non overcommitable resources");
    }
    return;
  }
  const difference = parseQuantity(amount).compare(parseQuantity(limit));
  if (difference !== 0 && !isOvercommitAllowed(name)) {
    yield at.child("requests").invalid(amount, `must be equal to ${name} limit of ${limit}`);
  } else if (difference > 0) {
    yield at.child("requests").invalid(amount, `must be less than or equal to ${name} limit of ${limit}`);
  }
}

function* claimNames(
  at: Path,
  claims: NonNullable<ResourceRequirements["claims"]>,
  podClaims: ReadonlySet<string>,
): Issues {
  const seen = new Set<string>();
  const requested = new Set<string>();
  for (const [here, { name, request = "" }] of at.items(claims)) {
    if (!name) {
      yield here.required();
      continue;
    }
    if (seen.has(name)) yield here.duplicate(name);
    else {
      if (request !== "") yield* dns1123Label(here.child("request"), request);
      const key = request === "" ? name : `${name}/${request}`;
      if (seen.has(key)) yield here.duplicate(key);
      else if (request === "" && requested.has(name)) yield here.duplicate(name);
      seen.add(key);
      if (request !== "") requested.add(name);
    }
    if (!podClaims.has(name)) {
      const known = podClaims.size === 0 ? " which is empty" : `: ${[...podClaims].sort().join(", ")}`;
      yield {
        reason: "FieldValueNotFound",
        message: `Not found: "${name}": must be one of the names in pod.spec.resourceClaims${known}`,
        field: String(here),
      };
    }
  }
}
