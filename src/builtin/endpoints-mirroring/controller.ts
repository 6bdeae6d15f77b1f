/** The EndpointSlice mirroring controller: copies Endpoints that somebody wrote for a service without a selector into slices. */
import { Endpoints, EndpointSlice, isNotFound, metaNamespaceKey, Service, unless } from "../../api/index.js";
import type { KeyRun } from "../../controller/index.js";
import { defaultControllerLimiter } from "../../workqueue/index.js";
import { managedByLabel, serviceNameLabel } from "../endpoints/slices.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";
import { isNamespaceTerminating } from "../pods/pod-control.js";
import { mirroredBy, perSubset, planMirror } from "./plan.js";

const mirroredSlices = "mirrored-slices-of-endpoints";
const skipLabel = "endpointslice.kubernetes.io/skip-mirror";
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";

/** False for Endpoints that opt out by a label, and for Endpoints that serve as a leader election lock. */
const isMirrored = ({ metadata: { labels, annotations } }: Endpoints): boolean =>
  labels?.[skipLabel] !== "true" && annotations?.[leaderAnnotation] === undefined;

export function endpointSliceMirroringController(context: ControllerContext): BuiltInController {
  const { informers, clock } = context;
  const services = informers.informer(Service);
  const endpoints = informers.informer(Endpoints);
  const slices = informers.informer(EndpointSlice);
  const isOurs = ({ metadata: { labels } }: EndpointSlice): boolean => labels?.[managedByLabel] === mirroredBy;
  const endpointsOf = ({ metadata: { namespace, labels } }: EndpointSlice): string =>
    `${namespace}/${labels?.[serviceNameLabel]}`;
  slices.addIndexers({ [mirroredSlices]: (slice) => (isOurs(slice) ? [endpointsOf(slice)] : []) });
  const recorder = context.recorderFor("endpoint-slice-mirroring-controller");
  const limiter = defaultControllerLimiter({ clock, baseMs: 1_000, maxMs: 100_000 });
  const loop = keyLoop(context, {
    name: "endpoint_slice_mirroring",
    kind: "Endpoints",
    workers: 5,
    limiter,
    maxFailures: 16,
    awaits: [slices],
    sync,
  });
  loop.follow(endpoints);
  loop.watch(services, ({ object }, wake) => {
    if (endpoints.indexer.has(metaNamespaceKey(object))) wake(metaNamespaceKey(object));
  });
  loop.watch(slices, ({ object }, wake) => {
    if (isOurs(object)) wake(endpointsOf(object));
  });

  async function sync({ key, client }: KeyRun): Promise<void> {
    const resource = client.resource(EndpointSlice);
    const existing = slices.indexer.byIndex(mirroredSlices, key);
    const object = endpoints.indexer.get(key);
    const service = services.indexer.get(key);
    if (object === undefined || !isMirrored(object) || service === undefined || service.spec?.selector !== undefined) {
      for (const { metadata } of existing) await resource.delete(metadata).catch(unless(isNotFound));
      return;
    }
    const plan = planMirror(object, existing);
    if (plan.skipped > 0) {
      const message = `A max of ${perSubset} addresses can be mirrored to EndpointSlices per Endpoints subset. ${plan.skipped} addresses were skipped`;
      recorder.warning(object, "TooManyAddressesToMirror", message);
    }
    try {
      for (const slice of plan.create) await resource.create(slice);
      for (const slice of plan.update) await resource.update(slice);
      for (const { metadata } of plan.delete) await resource.delete(metadata).catch(unless(isNotFound));
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  return { loops: [loop] };
}
