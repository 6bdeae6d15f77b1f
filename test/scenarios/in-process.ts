/** An embedded server with built-in controllers on it, for scenarios: in this process, on the given clock. */
import type { KubeObject } from "../../src/api/index.js";
import { type Clock, Lifetime, startRunning } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import { type ControllerDescriptor, runControllers } from "../../src/controllers/index.js";
import { startApiServer } from "../../src/testing/cluster.js";

export interface Cluster extends AsyncDisposable {
  readonly client: Client;
  /** `Kind name Reason message`, in the order of their recording. */
  readonly events: readonly string[];
}

export async function startControllers(
  controllers: readonly ControllerDescriptor[],
  { oneServer = false, ...options }: { readonly clock?: Clock; readonly oneServer?: boolean } = {},
): Promise<Cluster> {
  const lifetime = new Lifetime();
  const server = lifetime.use(await startApiServer(options));
  const client = lifetime.use(new Client({ transport: server.transport(), ...options }));
  const events: string[] = [];
  const note = (object: KubeObject, reason: string, message: string): unknown =>
    events.push(`${object.kind} ${object.metadata.name} ${reason} ${message}`);
  await new Promise<void>((resolve, reject) => {
    const running = startRunning((signal) =>
      runControllers({
        client,
        controllers,
        signal,
        oneServer,
        recorderFor: () => ({ normal: note, warning: note }),
        onStarted: () => resolve(),
        ...options,
      }),
    );
    running.done.catch(reject);
    lifetime.use(running);
  });
  return { client, events, [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
}
