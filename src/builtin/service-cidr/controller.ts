/** The ServiceCIDR controller: says that a range of services' addresses is ready, and keeps one that is in use. */
import { IPAddress, isNotFound, ServiceCIDR, unless } from "../../api/index.js";
import { doOverlap } from "../../base/net/ranges.js";
import type { KeyRun, SyncResult } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { cidrSteps, finalizer, rangesOf, rangesWith } from "./plan.js";

const fieldManager = "service-cidr-controller";

export function serviceCidrController(context: ControllerContext): BuiltInController {
  const { informers, clock } = context;
  const ranges = informers.informer(ServiceCIDR);
  const addresses = informers.informer(IPAddress);
  const loop = objectLoop(context, ranges, { name: "ipaddresses", workers: 5, awaits: [ranges], sync });
  loop.watch(ranges, ({ type, object }, wake) => {
    wake(object.metadata.name);
    if (type === "updated" || type === "resync") return;
    // a new range may let another go, and a range that is gone may have been all that kept others
    const own = rangesOf(object);
    for (const other of ranges.indexer.list()) {
      if (rangesOf(other).some((one) => own.some((range) => doOverlap(one, range)))) wake(other.metadata.name);
    }
  });
  loop.watch(addresses, ({ type, object }, wake) => {
    if (type === "updated" || type === "resync") return;
    for (const name of rangesWith(object, ranges.indexer.list())) wake(name);
  });

  async function sync(cidr: ServiceCIDR, { key, client }: KeyRun): Promise<SyncResult | void> {
    const around = { ranges: ranges.indexer.list(), addresses: () => addresses.indexer.list(), now: clock.now() };
    const resource = client.resource(ServiceCIDR);
    for (const step of cidrSteps(cidr, around)) {
      switch (step.type) {
        case "protect": {
          const strategic = { metadata: { finalizers: [finalizer] } };
          await resource.patch(key, { strategic }).catch(unless(isNotFound));
          break;
        }
        case "release": {
          const strategic = { metadata: { "$deleteFromPrimitiveList/finalizers": [finalizer] } };
          await resource.patch(key, { strategic }).catch(unless(isNotFound));
          break;
        }
        case "condition": {
          const status = { conditions: [step.condition] };
          await resource.status.apply({ metadata: { name: key }, status }, { fieldManager, force: true });
          break;
        }
        case "wait":
          return { requeueAfterMs: step.forMs };
      }
    }
  }

  return { loops: [loop] };
}
