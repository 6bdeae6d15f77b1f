/** PlainAmounts of resources as plain numbers, for fast sums. */
import { type Container, findCondition, parseQuantity, type Pod } from "../../api/index.js";

/** Memory and storage in bytes, cpu in thousandths; other resources in whole units. */
export interface PlainAmounts {
  readonly cpu: number;
  readonly memory: number;
  readonly storage: number;
  /** Extended resources, huge pages, attachable volumes; undefined if there are none, which is usual. */
  readonly others?: ReadonlyMap<string, number>;
}

export const noAmounts: PlainAmounts = { cpu: 0, memory: 0, storage: 0 };

type Resources = Readonly<Record<string, string | number>> | undefined;

function amount(quantity: string | number, milli: boolean): number {
  const exact = parseQuantity(String(quantity));
  return Number(milli ? exact.milliValue() : exact.value());
}

export function plainAmountsOf(resources: Resources): PlainAmounts {
  if (resources === undefined) return noAmounts;
  let [cpu, memory, storage] = [0, 0, 0];
  let others: Map<string, number> | undefined;
  for (const [name, quantity] of Object.entries(resources)) {
    if (name === "cpu") cpu = amount(quantity, true);
    else if (name === "memory") memory = amount(quantity, false);
    else if (name === "ephemeral-storage") storage = amount(quantity, false);
    else if (name !== "pods") (others ??= new Map()).set(name, amount(quantity, false));
  }
  return others === undefined ? { cpu, memory, storage } : { cpu, memory, storage, others };
}

/** Whether a resource is none of Kubernetes' own. */
export const isExtended = (name: string): boolean =>
  name.includes("/") && !name.includes("kubernetes.io/") && !name.startsWith("requests.");

/** The number of pods that a node accepts. */
export const podLimitOf = (resources: Resources): number =>
  resources?.["pods"] === undefined ? 0 : amount(resources["pods"], false);

function combine(a: PlainAmounts, b: PlainAmounts, by: (a: number, b: number) => number): PlainAmounts {
  const cpu = by(a.cpu, b.cpu);
  const memory = by(a.memory, b.memory);
  const storage = by(a.storage, b.storage);
  if (a.others === undefined && b.others === undefined) return { cpu, memory, storage };
  const others = new Map(a.others);
  for (const [name, value] of b.others ?? []) others.set(name, by(others.get(name) ?? 0, value));
  if (b.others === undefined) return { cpu, memory, storage, others };
  for (const [name, value] of a.others ?? []) if (!b.others.has(name)) others.set(name, by(value, 0));
  return { cpu, memory, storage, others };
}

export const plus = (a: PlainAmounts, b: PlainAmounts): PlainAmounts => combine(a, b, (x, y) => x + y);
export const minus = (a: PlainAmounts, b: PlainAmounts): PlainAmounts => combine(a, b, (x, y) => x - y);
const larger = (a: PlainAmounts, b: PlainAmounts): PlainAmounts => combine(a, b, Math.max);

/** Whether `a` has less than `b` of a wanted resource. */
export function isLess(a: PlainAmounts, b: PlainAmounts, wanted: PlainAmounts): boolean {
  if (wanted.cpu > 0 && a.cpu < b.cpu) return true;
  if (wanted.memory > 0 && a.memory < b.memory) return true;
  if (wanted.storage > 0 && a.storage < b.storage) return true;
  for (const [name, amount] of wanted.others ?? []) {
    if (amount > 0 && (a.others?.get(name) ?? 0) < (b.others?.get(name) ?? 0)) return true;
  }
  return false;
}

/** The minimum assumed for a container without requests, so that such pods spread too. For scores only. */
const assumed = { cpu: 100, memory: 200 * 1024 * 1024 } as const;

/**
 * The requests of a container. For one that is being resized, its present and allocated resources count too, unless the
 * resize is infeasible.
 */
function listsOf({ status }: Pod): (container: Container) => readonly Resources[] {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const reported = new Map(statuses.flatMap((one) => (one.resources === undefined ? [] : [[one.name, one] as const])));
  if (reported.size === 0) return ({ resources }) => [resources?.requests];
  const resize = findCondition(status?.conditions, "PodResizePending");
  return ({ name, resources }) => {
    const own = reported.get(name);
    if (own === undefined) return [resources?.requests];
    const given = [own.resources?.requests, own.allocatedResources];
    return resize?.reason === "Infeasible" ? given : [resources?.requests, ...given];
  };
}

const requestsOf = (lists: readonly Resources[]): PlainAmounts =>
  lists.length === 1 ? plainAmountsOf(lists[0]) : lists.map(plainAmountsOf).reduce(larger);

function requestsOrAssumed(lists: readonly Resources[]): PlainAmounts {
  const requests = requestsOf(lists);
  const isSaid = (name: string): boolean => lists.some((list) => list?.[name] !== undefined);
  return {
    ...requests,
    cpu: isSaid("cpu") ? requests.cpu : assumed.cpu,
    memory: isSaid("memory") ? requests.memory : assumed.memory,
  };
}

/**
 * The need of a pod: its containers and sidecars together, or, if that is more, the largest init container beside the
 * sidecars before it.
 */
function podAmounts(pod: Pod, amounts: (lists: readonly Resources[]) => PlainAmounts): PlainAmounts {
  const { containers = [], initContainers = [], overhead, resources } = pod.spec ?? {};
  const lists = listsOf(pod);
  let sidecars = noAmounts;
  let peak = noAmounts;
  for (const container of initContainers) {
    if (container.restartPolicy === "Always") {
      sidecars = plus(sidecars, amounts(lists(container)));
      peak = larger(peak, sidecars);
    } else {
      peak = larger(peak, plus(sidecars, amounts([container.resources?.requests])));
    }
  }
  const running = containers.reduce((sum, container) => plus(sum, amounts(lists(container))), sidecars);
  const needed = larger(running, peak);
  const together = resources?.requests === undefined ? needed : override(needed, resources.requests);
  return overhead === undefined ? together : plus(together, plainAmountsOf(overhead));
}

/** Pod-level requests replace the sums of the containers'. */
function override(needed: PlainAmounts, requests: Resources): PlainAmounts {
  const whole = plainAmountsOf(requests);
  const others = new Map([...(needed.others ?? []), ...(whole.others ?? [])]);
  return {
    cpu: requests?.["cpu"] === undefined ? needed.cpu : whole.cpu,
    memory: requests?.["memory"] === undefined ? needed.memory : whole.memory,
    storage: needed.storage,
    ...(others.size === 0 ? {} : { others }),
  };
}

export const podRequests = (pod: Pod): PlainAmounts => podAmounts(pod, requestsOf);

export const podRequestsForScore = (pod: Pod): PlainAmounts => podAmounts(pod, requestsOrAssumed);
