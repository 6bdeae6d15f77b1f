/** The EndpointSlice and Endpoints controllers: list the pods behind each service. */
import {
  deepEqual,
  Endpoints,
  EndpointSlice,
  isDeleting,
  isNotFound,
  metaNamespaceKey,
  Node,
  Pod,
  Service,
  unless,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import type { WorkClient } from "../../client/index.js";
import type { KeyRun, ObjectChange, SyncResult, Wake } from "../../controller/index.js";
import { defaultControllerLimiter } from "../../workqueue/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";
import { isNamespaceTerminating, serverWords } from "../pods/pod-control.js";
import { mirroredLabels, selects, zoneOf } from "./pods.js";
import { podsOf, servicesOfPods } from "./services-of-pods.js";
import { managedBy, managedByLabel, planSlices, serviceNameLabel, type SlicePlan } from "./slices.js";
import { subsetsOf } from "./subsets.js";
import { TriggerTimes, withTriggerTime } from "./trigger-times.js";
import { WrittenSlices } from "./written-slices.js";
import { joinedErrors } from "../../api/errors/field-error.js";

const slicesPerService = "endpointslices-of-service";
const perSlice = 100;
const overCapacity = "endpoints.kubernetes.io/over-capacity";
const endpointsManagedBy = "endpoints.kubernetes.io/managed-by";

export function endpointSliceController(context: ControllerContext): BuiltInController {
  const { informers, clock } = context;
  const services = informers.informer(Service);
  const pods = informers.informer(Pod);
  const nodes = informers.informer(Node);
  const slices = informers.informer(EndpointSlice);
  slices.addIndexers({
    [slicesPerService]: (slice) => (isOurs(slice) ? [serviceOf(slice)] : []),
  });
  const recorder = context.recorderFor("endpoint-slice-controller");
  const triggers = new TriggerTimes();
  const written = new WrittenSlices();
  const limiter = defaultControllerLimiter({ clock, baseMs: 1_000 });
  const loop = keyLoop(context, {
    name: "endpoint_slice",
    kind: "Service",
    workers: 5,
    limiter,
    maxFailures: 16,
    awaits: [slices],
    sync,
  });
  loop.follow(services);
  loop.watch(pods, servicesOfPods(services.lister));
  loop.watch(nodes, (change, wake) => {
    if (change.type !== "updated" || zoneOf(change.previous) === zoneOf(change.object)) return;
    for (const service of services.indexer.list()) wake(metaNamespaceKey(service));
  });
  loop.watch(slices, (change, wake) => wakeServices(change, written, wake));

  async function sync({ key, client }: KeyRun): Promise<SyncResult | void> {
    const service = services.indexer.get(key);
    if (service === undefined) {
      // the garbage collector deletes the slices
      triggers.forget(key);
      return { gone: true };
    }
    if (!selects(service)) return;
    const backends = podsOf(pods.lister, service);
    const plan = planSlices({
      service,
      pods: backends,
      triggerTime: triggers.next(key, service, backends),
      slices: slices.indexer.byIndex(slicesPerService, key).filter((one) => !isDeleting(one)),
      node: (name) => nodes.indexer.get(name),
      capacity: perSlice,
    });
    try {
      await carryOut(plan, service, { client, written });
      const said = plan.leftOut.map(
        ({ pod, node }) => `skipping Pod ${pod} for Service ${key}: Node ${node} Not Found`,
      );
      if (said.length > 0) throw new Error(joinedErrors(said));
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const message = `Error updating Endpoint Slices for Service ${key}: ${serverWords(error)}`;
      recorder.warning(service, "FailedToUpdateEndpointSlices", message);
      throw error;
    }
  }

  return { loops: [loop] };
}

const serviceOf = ({ metadata: { namespace, labels } }: EndpointSlice): string =>
  `${namespace}/${labels?.[serviceNameLabel]}`;
const isOurs = ({ metadata }: EndpointSlice): boolean => metadata.labels?.[managedByLabel] === managedBy;

/**
 * Enqueues a service when somebody else creates, changes or deletes one of its slices, or moves one to another service
 * or manager.
 */
function wakeServices(change: ObjectChange<EndpointSlice>, written: WrittenSlices, wake: Wake): void {
  const { object: slice } = change;
  const wakeLater = (key: string): void => wake(key, 1_000);
  const isOthersWork = isOurs(slice) && !written.includes(slice);
  if (change.type === "deleted") {
    if (!isOurs(slice)) return;
    written.forget(slice);
    wakeLater(serviceOf(slice));
  } else if (change.type === "updated") {
    const isMoved = serviceOf(change.previous) !== serviceOf(slice);
    const isTaken = isOurs(change.previous) !== isOurs(slice);
    if (isMoved) wakeLater(serviceOf(change.previous));
    if (isMoved || isTaken || isOthersWork) wakeLater(serviceOf(slice));
  } else if (isOthersWork) {
    wakeLater(serviceOf(slice));
  }
}

/** Makes, changes and deletes slices. */
async function carryOut(
  plan: SlicePlan,
  service: Service,
  { client, written }: { readonly client: WorkClient; readonly written: WrittenSlices },
): Promise<void> {
  const resource = client.resource(EndpointSlice);
  // a service that is being deleted gets no new slices; the garbage collector deletes the old ones
  const create = !isDeleting(service) ? plan.create : [];
  for (const slice of create) written.add(await resource.create(slice));
  for (const slice of plan.update) written.add(await resource.update(slice));
  let failure: unknown;
  for (const slice of plan.delete) {
    await resource.delete(slice.metadata).catch((error: unknown) => {
      if (!isNotFound(error)) failure ??= error;
    });
  }
  if (failure !== undefined) throw failure as Error;
}

export function endpointsController(context: ControllerContext): BuiltInController {
  const { informers } = context;
  const services = informers.informer(Service);
  const pods = informers.informer(Pod);
  const endpoints = informers.informer(Endpoints);
  const recorder = context.recorderFor("endpoint-controller");
  const triggers = new TriggerTimes();
  const loop = keyLoop(context, {
    name: "endpoint",
    kind: "Service",
    workers: 5,
    maxFailures: 16,
    awaits: [endpoints],
    sync,
  });
  loop.follow(services);
  loop.watch(pods, servicesOfPods(services.lister));
  loop.watch(endpoints, ({ type, object }, wake) => {
    if (type === "deleted") wake(metaNamespaceKey(object));
  });

  async function sync({ key, client }: KeyRun): Promise<void> {
    const resource = client.resource(Endpoints);
    const service = services.indexer.get(key);
    const current = endpoints.indexer.get(key);
    if (service === undefined) {
      triggers.forget(key);
      // also Endpoints that somebody else wrote: they are deleted with their service
      return current === undefined
        ? undefined
        : void (await resource.delete(current.metadata).catch(unless(isNotFound)));
    }
    if (!selects(service)) return;
    const backends = podsOf(pods.lister, service);
    const triggerTime = triggers.next(key, service, backends);
    const next = endpointsOf(service, current, { pods: backends, triggerTime });
    if (current !== undefined && sameEndpoints(current, next)) return;
    try {
      await (current === undefined ? resource.create(next) : resource.update(next as Endpoints));
    } catch (error) {
      // one that exists and is not in the cache yet is tried again: its arrival wakes nothing
      if (isNamespaceTerminating(error)) return;
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

  return { loops: [loop] };
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
      ...defined({ namespace }),
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
