/** The EndpointSlice mirroring controller: whoever reads slices also finds what somebody wrote into the Endpoints of a service without selector. */
import { Endpoints, EndpointSlice, type KubeObject, metaNamespaceKey, Service } from "../../api/index.js";
import { ConsistencyStore } from "../../controller/consistency.js";
import { deletedObject, type FactoryInformer } from "../../informer/index.js";
import { bucket, itemExponentialFailure, maxOf } from "../../workqueue/index.js";
import { managedByLabel, serviceNameLabel } from "../endpoints/slices.js";
import type { BuiltInController, ControllerContext, ControllerDescriptor } from "../kit/context.js";
import { KeyLoop } from "../kit/key-loop.js";
import { unlessNotFound } from "../kit/missing.js";
import { isNamespaceTerminating } from "../pods/pod-control.js";
import { mirroredBy, perSubset, planMirror } from "./plan.js";

const mirroredSlices = "mirrored-slices-of-endpoints";
const skipLabel = "endpointslice.kubernetes.io/skip-mirror";
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";

export const endpointSliceMirroringController: ControllerDescriptor = {
  name: "endpointslice-mirroring-controller",
  aliases: ["endpointslicemirroring"],
  create: createMirroringController,
};

/** Not those that say not to, and not those that are locks. */
const isMirrored = ({ metadata: { labels, annotations } }: Endpoints): boolean =>
  labels?.[skipLabel] !== "true" && annotations?.[leaderAnnotation] === undefined;

function createMirroringController(context: ControllerContext): BuiltInController {
  const { client, informers, clock } = context;
  const services = informers.informer(Service);
  const endpoints = informers.informer(Endpoints);
  const slices = informers.informer(EndpointSlice);
  const isOurs = ({ metadata: { labels } }: EndpointSlice): boolean => labels?.[managedByLabel] === mirroredBy;
  const endpointsOf = ({ metadata: { namespace, labels } }: EndpointSlice): string =>
    `${namespace}/${labels?.[serviceNameLabel]}`;
  slices.addIndexers({ [mirroredSlices]: (slice) => (isOurs(slice) ? [endpointsOf(slice)] : []) });
  const recorder = context.recorderFor("endpoint-slice-mirroring-controller");
  const consistency = new ConsistencyStore({ slices: slices.indexer });
  const limiter = maxOf(
    itemExponentialFailure({ baseMs: 1_000, maxMs: 100_000 }),
    bucket({ ratePerSecond: 10, burst: 100, clock }),
  );
  const loop = new KeyLoop({ context, name: "endpoint_slice_mirroring", workers: 5, limiter, maxRetries: 15, sync });

  const follow = <T extends KubeObject>(
    informer: FactoryInformer<T>,
    keyOf: (object: T) => string | undefined,
  ): void => {
    const wake = (object: T | undefined): void => {
      const key = object && keyOf(object);
      if (key !== undefined) loop.add(key);
    };
    informer.addEventHandler({
      onAdd: wake,
      onUpdate: (_previous, object) => wake(object),
      onDelete: (gone) => wake(deletedObject(gone)),
    });
  };
  follow(endpoints, metaNamespaceKey);
  follow(services, (service) =>
    endpoints.indexer.has(metaNamespaceKey(service)) ? metaNamespaceKey(service) : undefined,
  );
  follow(slices, (slice) => (isOurs(slice) ? endpointsOf(slice) : undefined));

  async function sync(key: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    consistency.ensureReady(key);
    const resource = client.resource(EndpointSlice);
    const existing = slices.indexer.byIndex(mirroredSlices, key);
    const object = endpoints.indexer.get(key);
    const service = services.indexer.get(key);
    if (object === undefined || !isMirrored(object) || service === undefined || service.spec?.selector !== undefined) {
      consistency.forget(key);
      for (const { metadata } of existing) await resource.delete(metadata, { signal }).catch(unlessNotFound);
      return;
    }
    const plan = planMirror(object, existing);
    if (plan.skipped > 0) {
      const message = `A max of ${perSubset} addresses can be mirrored to EndpointSlices per Endpoints subset. ${plan.skipped} addresses were skipped`;
      recorder.warning(object, "TooManyAddressesToMirror", message);
    }
    const wrote = ({ metadata: { resourceVersion } }: EndpointSlice): void =>
      consistency.wrote(key, object.metadata.uid ?? "", { resource: "slices", resourceVersion });
    try {
      for (const slice of plan.create) wrote(await resource.create(slice, { signal }));
      for (const slice of plan.update) wrote(await resource.update(slice, { signal }));
      for (const { metadata } of plan.delete) await resource.delete(metadata, { signal }).catch(unlessNotFound);
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  return loop;
}
