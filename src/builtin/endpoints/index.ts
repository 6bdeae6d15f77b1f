/** The EndpointSlice and Endpoints controllers: say which pods are behind a service. */
import {
  deepEqual,
  Endpoints,
  EndpointSlice,
  isAlreadyExists,
  isNotFound,
  metaNamespaceKey,
  Node,
  Pod,
  Service,
} from "../../api/index.js";
import type { Client } from "../../client/index.js";
import { ConsistencyStore } from "../../controller/consistency.js";
import { Expectations } from "../../controller/expectations.js";
import { deletedObject, type ResourceEventHandler } from "../../informer/index.js";
import { bucket, itemExponentialFailure, maxOf } from "../../workqueue/index.js";
import type { BuiltInController, ControllerContext, ControllerDescriptor } from "../kit/context.js";
import { KeyLoop } from "../kit/key-loop.js";
import { unlessNotFound } from "../kit/missing.js";
import { isNamespaceTerminating, serverWords } from "../pods/pod-control.js";
import { mirroredLabels, selects, zoneOf } from "./pods.js";
import { podHandler, podsOf } from "./services-of-pods.js";
import { managedBy, managedByLabel, planSlices, serviceNameLabel, type SlicePlan } from "./slices.js";
import { subsetsOf } from "./subsets.js";
import { TriggerTimes, withTriggerTime } from "./trigger-times.js";
import { WrittenSlices } from "./written-slices.js";

const slicesPerService = "endpointslices-of-service";
const perSlice = 100;
const overCapacity = "endpoints.kubernetes.io/over-capacity";
const endpointsManagedBy = "endpoints.kubernetes.io/managed-by";

export const endpointSliceController: ControllerDescriptor = {
  name: "endpointslice-controller",
  aliases: ["endpointslice"],
  create: createSliceController,
};

export const endpointsController: ControllerDescriptor = {
  name: "endpoints-controller",
  aliases: ["endpoint"],
  create: createEndpointsController,
};

function createSliceController(context: ControllerContext): BuiltInController {
  const { client, informers, clock } = context;
  const services = informers.informer(Service);
  const pods = informers.informer(Pod);
  const nodes = informers.informer(Node);
  const slices = informers.informer(EndpointSlice);
  slices.addIndexers({
    [slicesPerService]: (slice) => (isOurs(slice) ? [serviceOf(slice)] : []),
  });
  const recorder = context.recorderFor("endpoint-slice-controller");
  const consistency = new ConsistencyStore({ slices: slices.indexer });
  const expectations = new Expectations({ clock });
  const triggers = new TriggerTimes();
  const written = new WrittenSlices();
  const limiter = maxOf(
    itemExponentialFailure({ baseMs: 1_000, maxMs: 1_000_000 }),
    bucket({ ratePerSecond: 10, burst: 100, clock }),
  );
  const loop = new KeyLoop({ context, name: "endpoint_slice", workers: 5, limiter, maxRetries: 15, sync });
  loop.follow(services);
  pods.addEventHandler(podHandler(services.indexer, loop.enqueue));
  nodes.addEventHandler({
    onUpdate(previous, node) {
      if (zoneOf(previous) !== zoneOf(node)) for (const service of services.indexer.list()) loop.enqueue(service);
    },
  });
  slices.addEventHandler(sliceHandler({ wake: (key) => loop.addAfter(key, 1_000), written, expectations }));
  const carryOut = sliceWriter({ client, consistency, expectations, written });

  async function sync(key: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const service = services.indexer.get(key);
    if (service === undefined) {
      // the slices are the garbage collector's
      consistency.forget(key);
      triggers.forget(key);
      return expectations.forget(key);
    }
    if (!selects(service)) return;
    consistency.ensureReady(key);
    if (!expectations.satisfied(key)) throw new Error(`the cache of slices of ${key} is behind their deletion`);
    const backends = podsOf(pods.indexer, service);
    const plan = planSlices({
      service,
      pods: backends,
      triggerTime: triggers.next(key, service, backends),
      slices: slices.indexer
        .byIndex(slicesPerService, key)
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined),
      node: (name) => nodes.indexer.get(name),
      capacity: perSlice,
    });
    try {
      await carryOut(plan, key, service, signal);
      const said = plan.leftOut.map(
        ({ pod, node }) => `skipping Pod ${pod} for Service ${key}: Node ${node} Not Found`,
      );
      if (said.length > 0) throw new Error(said.length === 1 ? said[0] : `[${said.join(", ")}]`);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const message = `Error updating Endpoint Slices for Service ${key}: ${serverWords(error)}`;
      recorder.warning(service, "FailedToUpdateEndpointSlices", message);
      throw error;
    }
  }

  return loop;
}

const serviceOf = ({ metadata: { namespace, labels } }: EndpointSlice): string =>
  `${namespace}/${labels?.[serviceNameLabel]}`;
const isOurs = ({ metadata }: EndpointSlice): boolean => metadata.labels?.[managedByLabel] === managedBy;

interface SliceHandling {
  readonly wake: (service: string) => void;
  readonly written: WrittenSlices;
  readonly expectations: Expectations;
}

/** Wakes a service when somebody else has made, changed, deleted, taken or given away one of its slices. */
function sliceHandler({ wake, written, expectations }: SliceHandling): ResourceEventHandler<EndpointSlice> {
  return {
    onAdd(slice) {
      if (isOurs(slice) && !written.includes(slice)) wake(serviceOf(slice));
    },
    onUpdate(previous, slice) {
      const isMoved = serviceOf(previous) !== serviceOf(slice);
      const isTaken = isOurs(previous) !== isOurs(slice);
      if (isMoved) wake(serviceOf(previous));
      if (isMoved || isTaken || (isOurs(slice) && !written.includes(slice))) wake(serviceOf(slice));
    },
    onDelete(gone) {
      const slice = deletedObject(gone);
      if (slice === undefined || !isOurs(slice)) return;
      written.forget(slice);
      expectations.deletionObserved(serviceOf(slice), metaNamespaceKey(slice));
      wake(serviceOf(slice));
    },
  };
}

interface SliceWriting {
  readonly client: Client;
  readonly consistency: ConsistencyStore;
  readonly expectations: Expectations;
  readonly written: WrittenSlices;
}

/** Makes, changes and deletes slices, and notes what the cache must show before the next sync. */
function sliceWriter({ client, consistency, expectations, written }: SliceWriting) {
  const resource = client.resource(EndpointSlice);
  return async (plan: SlicePlan, key: string, service: Service, signal: AbortSignal): Promise<void> => {
    const wrote = (slice: EndpointSlice): void => {
      const { resourceVersion } = slice.metadata;
      written.add(slice);
      consistency.wrote(key, service.metadata.uid ?? "", { resource: "slices", resourceVersion });
    };
    // one that goes gets no more of them; those that it has are the garbage collector's
    const create = service.metadata.deletionTimestamp === undefined ? plan.create : [];
    for (const slice of create) wrote(await resource.create(slice, { signal }));
    for (const slice of plan.update) wrote(await resource.update(slice, { signal }));
    if (plan.delete.length > 0) expectations.expectDeletions(key, plan.delete.map(metaNamespaceKey));
    let failure: unknown;
    for (const slice of plan.delete) {
      await resource.delete(slice.metadata, { signal }).catch((error: unknown) => {
        expectations.deletionObserved(key, metaNamespaceKey(slice));
        if (!isNotFound(error)) failure ??= error;
      });
    }
    if (failure !== undefined) throw failure as Error;
  };
}

function createEndpointsController(context: ControllerContext): BuiltInController {
  const { client, informers } = context;
  const services = informers.informer(Service);
  const pods = informers.informer(Pod);
  const endpoints = informers.informer(Endpoints);
  const recorder = context.recorderFor("endpoint-controller");
  const triggers = new TriggerTimes();
  const consistency = new ConsistencyStore({ endpoints: endpoints.indexer });
  const loop = new KeyLoop({ context, name: "endpoint", workers: 5, maxRetries: 15, sync });
  loop.follow(services);
  pods.addEventHandler(podHandler(services.indexer, loop.enqueue));
  endpoints.addEventHandler({
    onDelete: (gone) => {
      const object = deletedObject(gone);
      if (object !== undefined) loop.enqueue(object);
    },
  });
  const resource = client.resource(Endpoints);

  async function sync(key: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    consistency.ensureReady(key);
    const service = services.indexer.get(key);
    const current = endpoints.indexer.get(key);
    if (service === undefined) {
      triggers.forget(key);
      consistency.forget(key);
      // also those that somebody else wrote: they go with their service
      return current === undefined
        ? undefined
        : void (await resource.delete(current.metadata, { signal }).catch(unlessNotFound));
    }
    if (!selects(service)) return;
    const backends = podsOf(pods.indexer, service);
    const triggerTime = triggers.next(key, service, backends);
    const next = endpointsOf(service, current, { pods: backends, triggerTime });
    if (current !== undefined && sameEndpoints(current, next)) return;
    try {
      const { metadata } = await (current === undefined
        ? resource.create(next, { signal })
        : resource.update(next as Endpoints, { signal }));
      const { resourceVersion } = metadata;
      consistency.wrote(key, service.metadata.uid ?? "", { resource: "endpoints", resourceVersion });
    } catch (error) {
      if (isNamespaceTerminating(error) || isAlreadyExists(error)) return;
      const regarding = { apiVersion: "v1", kind: "Endpoints", ...next };
      if (current === undefined) {
        const message = `Failed to create endpoint for service ${key}: ${serverWords(error)}`;
        recorder.warning(regarding, "FailedToCreateEndpoint", message);
      } else {
        recorder.warning(
          regarding,
          "FailedToUpdateEndpoint",
          `Failed to update endpoint ${key}: ${serverWords(error)}`,
        );
      }
      throw error;
    }
  }

  return loop;
}

type EndpointsDraft = Omit<Endpoints, "apiVersion" | "kind"> & {
  readonly apiVersion?: "v1";
  readonly kind?: "Endpoints";
};

function endpointsOf(
  service: Service,
  current: Endpoints | undefined,
  { pods, triggerTime }: { readonly pods: readonly Pod[]; readonly triggerTime: string | undefined },
): EndpointsDraft {
  const { subsets, truncated } = subsetsOf(service, pods);
  const { name, namespace } = service.metadata;
  const { [overCapacity]: _before, ...annotations } = withTriggerTime(current?.metadata.annotations, triggerTime);
  const noted = truncated ? { ...annotations, [overCapacity]: "truncated" } : annotations;
  return {
    ...current,
    metadata: {
      ...current?.metadata,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...mirroredLabels(service), [endpointsManagedBy]: "endpoint-controller" },
      annotations: noted,
    },
    subsets,
  };
}

const sameEndpoints = (a: Endpoints, b: EndpointsDraft): boolean =>
  deepEqual(a.subsets ?? [], b.subsets ?? []) &&
  deepEqual(a.metadata.labels, b.metadata.labels) &&
  a.metadata.annotations?.[overCapacity] === b.metadata.annotations?.[overCapacity];
