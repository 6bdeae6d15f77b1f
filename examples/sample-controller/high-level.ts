/** The same controller on the manager: only the part that is special about a Foo is left. */
import { type Client, type ControllerOptions, Deployment, isControlledBy, type Logger, Manager } from "coxswain";
import { deploymentFor, messages } from "./deployment.js";
import { Foo } from "./foo.js";

export const fooController: ControllerOptions<Foo> = {
  name: "sample-controller",
  for: Foo,
  owns: [Deployment],
  async reconcile({ object: foo, cache, client, events, log }) {
    const deploymentName = foo.spec?.deploymentName;
    if (!deploymentName) return log.error("deploymentName must be specified");
    const wanted = deploymentFor(foo);
    const found = cache.get(Deployment, wanted.metadata);
    if (found !== undefined && !isControlledBy(found, foo)) {
      const message = messages.taken(deploymentName);
      events.warning(foo, "ErrResourceExists", message);
      throw new Error(message);
    }
    const deployment = await client.apply(wanted);
    await client.status(Foo).patch(foo, { availableReplicas: deployment.status?.availableReplicas ?? 0 });
    events.normal(foo, "Synced", messages.synced);
  },
};

export interface SampleManagerOptions {
  readonly client: Client;
  readonly log: Logger;
  readonly workers?: number;
}

/** Runs until the signal aborts. */
export async function runSampleManager(
  { client, log, workers = 16 }: SampleManagerOptions,
  signal: AbortSignal,
): Promise<void> {
  const manager = await Manager.create({ client, log, resyncPeriodMs: 30_000 });
  manager.controller({ ...fooController, concurrency: workers });
  await manager.run({ signal });
}
