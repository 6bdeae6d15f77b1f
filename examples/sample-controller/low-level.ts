/**
 * The classic sample controller, part by part as client-go has it: informers, listers, event handlers, a rate-limited
 * queue, workers. Read it from top to bottom: construct, run, sync, enqueue, handle.
 */
import {
  bucket,
  type Client,
  controllerOf,
  DeletedFinalStateUnknown,
  Deployment,
  type EventRecorder,
  isControlledBy,
  itemExponentialFailure,
  type KubeObject,
  type Logger,
  maxOf,
  RateLimitingQueue,
  runWorkers,
  sameRevision,
  SharedInformerFactory,
} from "coxswain";
import { metaNamespaceKey, splitMetaNamespaceKey } from "coxswain/api";
import { deploymentFor, messages } from "./deployment.js";
import { Foo } from "./foo.js";

export interface SampleControllerOptions {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly log: Logger;
  /**
   * With very many workers, a Foo's next sync may come before the cache has the last sync's write; the manager's reads
   * handle that.
   */
  readonly workers?: number;
}

/** Runs until the signal aborts. */
export async function runSampleController(
  { client, recorder, log, workers = 8 }: SampleControllerOptions,
  signal: AbortSignal,
): Promise<void> {
  const factory = new SharedInformerFactory(client, { resyncPeriodMs: 30_000 });
  const foos = factory.informer(Foo);
  const deployments = factory.informer(Deployment);
  const queue = new RateLimitingQueue<string>(
    maxOf(itemExponentialFailure({ baseMs: 5, maxMs: 1_000_000 }), bucket({ ratePerSecond: 50, burst: 300 })),
  );

  const enqueue = (foo: KubeObject): void => queue.add(metaNamespaceKey(foo));
  foos.addEventHandler({ onAdd: enqueue, onUpdate: (_old, foo) => enqueue(foo) });
  deployments.addEventHandler({
    onAdd: handleObject,
    // a resync sends updates too: two versions of one Deployment always have different revisions
    onUpdate: (old, now) => (sameRevision(old, now) ? undefined : handleObject(now)),
    onDelete: handleObject,
  });

  /** Queues the Foo that controls the object; objects of other controllers are ignored. */
  function handleObject(object: Deployment | DeletedFinalStateUnknown<Deployment>): void {
    // if the deletion itself was missed, this is the last known state, if there is one
    const last = object instanceof DeletedFinalStateUnknown ? object.object : object;
    const owner = last && controllerOf(last);
    if (last === undefined || owner?.kind !== Foo.kind) return;
    const foo = foos.lister.namespace(last.metadata.namespace ?? "").find(owner.name);
    if (foo === undefined) log.debug("ignoring an orphan", { deployment: last.metadata.name, foo: owner.name });
    else enqueue(foo);
  }

  /** Compares the actual with the desired state for the Foo of this key. A throw causes a retry. */
  async function sync(key: string): Promise<void> {
    const { namespace, name } = splitMetaNamespaceKey(key);
    const foo = foos.lister.namespace(namespace).find(name);
    if (foo === undefined) return log.info("the Foo in the queue no longer exists", { key });
    const deploymentName = foo.spec?.deploymentName;
    // a retry cannot help: a user must edit the Foo, and that queues it again
    if (!deploymentName) return log.error("deploymentName must be specified", { key });

    const resource = client.resource(Deployment, { namespace });
    const fieldManager = "sample-controller";
    let deployment = deployments.lister.namespace(namespace).find(deploymentName);
    deployment ??= await resource.create(deploymentFor(foo), { fieldManager });
    if (!isControlledBy(deployment, foo)) {
      const message = messages.taken(deploymentName);
      recorder.warning(foo, "ErrResourceExists", message);
      throw new Error(message);
    }
    if (foo.spec?.replicas !== undefined && foo.spec.replicas !== deployment.spec?.replicas) {
      log.info("updating the deployment", { key, from: deployment.spec?.replicas, to: foo.spec.replicas });
      deployment = await resource.update(deploymentFor(foo), { fieldManager });
    }
    const availableReplicas = deployment.status?.availableReplicas ?? 0;
    if ((foo.status?.availableReplicas ?? -1) !== availableReplicas) {
      await client
        .resource(Foo, { namespace })
        .status.update({ ...foo, status: { availableReplicas } }, { fieldManager });
    }
    recorder.normal(foo, "Synced", messages.synced);
  }

  await using _informers = factory.start({ signal });
  await factory.waitForCacheSync({ signal });
  try {
    await runWorkers({ queue, workers, signal, sync, log });
  } finally {
    queue.shutDown();
  }
}
