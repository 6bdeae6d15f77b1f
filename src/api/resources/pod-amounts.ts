/** What a whole pod asks for: its containers together, or the hungriest of those that run before them. To limits and quotas. */
import type { Container, Pod, PodSpec } from "../generated/core-v1.js";
import { type Amounts, addAmounts, amountsOf, maxAmounts } from "./amounts.js";

type List = "requests" | "limits";

export interface PodAmountsOptions {
  /** Count what the pod's runtime takes for itself. */
  readonly overhead?: boolean;
  /** Where a node gave a container more than it asks for now, count that. */
  readonly granted?: boolean;
}

const podLevel = ["cpu", "memory"];

/** Pure. What is named for the pod as a whole counts instead of the sum. */
export function podAmounts(pod: Pick<Pod, "spec" | "status">, list: List, options: PodAmountsOptions = {}): Amounts {
  const spec = pod.spec ?? ({ containers: [] } as PodSpec);
  const of = (container: Container): Amounts => containerAmounts(pod, container, { list, ...options });
  let sum: Amounts = new Map();
  for (const container of spec.containers) sum = addAmounts(sum, of(container));
  let sidecars: Amounts = new Map();
  let before: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = of(container);
    if (container.restartPolicy === "Always") {
      sum = addAmounts(sum, own);
      sidecars = addAmounts(sidecars, own);
      before = maxAmounts(before, sidecars);
    } else {
      before = maxAmounts(before, addAmounts(own, sidecars));
    }
  }
  const total = new Map(maxAmounts(sum, before));
  for (const [name, amount] of amountsOf(spec.resources?.[list])) {
    if (podLevel.includes(name) || name.startsWith("hugepages-")) total.set(name, amount);
  }
  return options.overhead ? withOverhead(total, spec, list) : total;
}

/** Overhead is added to every request, but only to limits that there are. */
function withOverhead(total: Amounts, { overhead }: PodSpec, list: List): Amounts {
  const extra = amountsOf(overhead);
  if (list === "requests") return addAmounts(total, extra);
  return addAmounts(total, new Map([...extra].filter(([name]) => total.get(name)?.isZero === false)));
}

function containerAmounts(
  { status }: Pick<Pod, "status">,
  { name, resources }: Container,
  { list, granted }: PodAmountsOptions & { readonly list: List },
): Amounts {
  const asked = amountsOf(resources?.[list]);
  if (!granted) return asked;
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const own = statuses.find((one) => one.name === name);
  if (own === undefined) return asked;
  const given = maxAmounts(asked, amountsOf(own.resources?.[list]));
  return list === "requests" ? maxAmounts(given, amountsOf(own.allocatedResources)) : given;
}
