/**
 * The amounts of a whole pod: the sum of its containers and sidecars, or the demand while init containers run
 * where that is greater.
 */
import type { Container, Pod, PodSpec } from "../generated/core-v1.js";
import { type Amounts, addAmounts, amountsOf, maxAmounts } from "./amounts.js";

type List = "requests" | "limits";

export interface PodAmountsOptions {
  /** Whether to add the overhead of the pod's runtime. */
  readonly overhead?: boolean;
  /**
   * Whether to count the amount that a node has granted a container, where it is more than the container now asks for.
   */
  readonly granted?: boolean;
}

const podLevel = ["cpu", "memory"];

/** Pure. An amount that the pod's own `resources` name replaces the sum of its containers. */
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

/** Overhead is added to every request, but only to limits that are set. */
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
