/** Writes the devices of a claim as the allocation in its status. Pure. */
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  NodeSelector,
  NodeSelectorRequirement,
  ResourceClaim,
} from "../../api/index.js";
import { defined, unlessEmpty } from "../../base/defined.js";
import type { ClaimDevices, GivenDevice } from "./allocate.js";
import { fullName } from "./constraints.js";

/** `newShareId` gives the id of a share of a device. */
export function allocationOf(
  { claim, given, taken }: ClaimDevices,
  { node, newShareId }: { readonly node: string; readonly newShareId: () => string },
): AllocationResult {
  const config = configurationOf(claim, taken);
  const nodeSelector = selectorOf(given, node);
  const results = given.map((each) => resultOf(each, newShareId));
  return {
    devices: { results, ...defined({ config: unlessEmpty(config) }) },
    ...defined({ nodeSelector }),
  };
}

function resultOf({ from, one, shares }: GivenDevice, newShareId: () => string): DeviceRequestAllocationResult {
  const { adminAccess, tolerations = [] } = from.wanted;
  const { bindingConditions, bindingFailureConditions } = one.device;
  const consumed = Object.fromEntries([...(shares ?? [])].map(([name, amount]) => [name, amount.toString()]));
  return {
    request: fullName(from.of),
    driver: one.pool.driver,
    pool: one.pool.name,
    device: one.device.name,
    ...(adminAccess && { adminAccess }),
    ...defined({ tolerations: unlessEmpty(tolerations), bindingConditions, bindingFailureConditions }),
    ...(shares && { shareID: newShareId() }),
    ...(shares && shares.size > 0 && { consumedCapacity: consumed }),
  };
}

/** First the configuration of each class, once for all its requests, then that of the claim. */
function configurationOf({ spec }: ResourceClaim, taken: ClaimDevices["taken"]): DeviceAllocationConfiguration[] {
  const byClass = new Map<string, { readonly requests: string[]; readonly config: readonly object[] }>();
  for (const { of, deviceClass } of taken) {
    const { name } = deviceClass.metadata;
    const known = byClass.get(name) ?? { requests: [], config: deviceClass.spec.config ?? [] };
    known.requests.push(fullName(of));
    byClass.set(name, known);
  }
  const ofClasses = [...byClass.values()].flatMap(({ requests, config }) =>
    config.map((one) => ({ source: "FromClass" as const, requests, ...one })),
  );
  const ofClaim = (spec.devices?.config ?? []).flatMap((one) => {
    const entry = { source: "FromClaim" as const, ...one };
    const { requests = [] } = one;
    if (requests.length === 0) return [entry];
    return taken.filter(({ of }) => requests.includes(of.request) || requests.includes(fullName(of))).map(() => entry);
  });
  return [...ofClasses, ...ofClaim];
}

/** The nodes on which the devices can be used; undefined for all. */
function selectorOf(given: readonly GivenDevice[], node: string): NodeSelector | undefined {
  const fields: NodeSelectorRequirement[] = [];
  const expressions: NodeSelectorRequirement[] = [];
  for (const { one } of given) {
    const { nodeName, nodeSelector } = one.slice.spec.perDeviceNodeSelection ? one.device : one.slice.spec;
    if (nodeName !== undefined || one.device.bindsToNode) {
      const here: NodeSelectorRequirement = { key: "metadata.name", operator: "In", values: [node] };
      return { nodeSelectorTerms: [{ matchFields: [here] }] };
    }
    const [term] = nodeSelector?.nodeSelectorTerms ?? [];
    addNew(fields, term?.matchFields);
    addNew(expressions, term?.matchExpressions);
  }
  if (fields.length === 0 && expressions.length === 0) return undefined;
  const term = {
    ...defined({ matchFields: unlessEmpty(fields), matchExpressions: unlessEmpty(expressions) }),
  };
  return { nodeSelectorTerms: [term] };
}

function addNew(known: NodeSelectorRequirement[], more: readonly NodeSelectorRequirement[] = []): void {
  const text = ({ key, operator, values = [] }: NodeSelectorRequirement): string =>
    JSON.stringify([key, operator, [...new Set(values)].sort()]);
  for (const one of more) if (!known.some((other) => text(other) === text(one))) known.push(one);
}
