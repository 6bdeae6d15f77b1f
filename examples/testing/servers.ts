/** The servers of the examples' suites: the embedded server in this process and over HTTPS, and a real one if it is installed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import { Client, connect } from "coxswain";
import { CustomResourceDefinition } from "coxswain/api";
import { startTestServer } from "../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { writePrivateFile } from "coxswain/base";

let lifetimes: AsyncDisposable[] = [];
afterEach(async () => {
  for (const lifetime of lifetimes.reverse()) await lifetime[Symbol.asyncDispose]();
  lifetimes = [];
});

/** Disposes of it at the end of the test, before everything that was kept earlier. */
export function keep<T extends AsyncDisposable>(lifetime: T): T {
  lifetimes.push(lifetime);
  return lifetime;
}

async function inProcess(): Promise<Client> {
  const server = keep(await startTestServer());
  return keep(new Client({ transport: server.transport() }));
}

async function overHttps(): Promise<Client> {
  const server = keep(await startTestServer());
  const listener = keep(await server.listen({ address: "127.0.0.1", port: 0 }));
  const folder = await mkdtemp(join(tmpdir(), "coxswain-example-"));
  try {
    const kubeconfig = join(folder, "kubeconfig");
    await writePrivateFile(kubeconfig, listener.kubeconfig);
    return keep(await connect({ kubeconfig }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function real(): Promise<Client> {
  return keep(await connect({ kubeconfig: (await realCluster()).kubeconfig }));
}

export interface TestServer {
  readonly where: string;
  readonly skip: boolean;
  /** Opens a client with the administrator's rights. */
  readonly open: () => Promise<Client>;
}

export const servers: readonly TestServer[] = [
  { where: "the embedded server", skip: false, open: inProcess },
  { where: "the embedded server over HTTPS", skip: false, open: overHttps },
  { where: "a real server (needs KUBEBUILDER_ASSETS)", skip: !hasRealCluster(), open: real },
];

/** Long enough for a busy machine; a wait of this length has failed. */
export const soonMs = 60_000;

export function soon(): { readonly signal: AbortSignal } {
  return { signal: AbortSignal.timeout(soonMs) };
}

let spaces = 0;

/** A name that only this test uses, because the real server is shared. */
export function ownNamespace(prefix: string): string {
  return `${prefix}-${process.pid}-${++spaces}`;
}

/**
 * Creates the definition unless it exists, and waits until the server serves its kind: a real server reports it as
 * established a moment before all of its parts know.
 */
export async function establish(client: Client, definition: CustomResourceDefinition): Promise<void> {
  const crds = client.resource(CustomResourceDefinition);
  await crds.createOrUpdate(definition.metadata, (now) => now ?? definition);
  const established = (now: CustomResourceDefinition | undefined): boolean =>
    now?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true;
  await crds.waitFor(definition.metadata, established, soon());
  const { group, names, versions } = definition.spec;
  const isServed = async (): Promise<boolean> => {
    const answers = versions.map(({ name }) => client.getText(`/apis/${group}/${name}/${names.plural}`));
    return (await Promise.allSettled(answers)).every(({ status }) => status === "fulfilled");
  };
  await expect.poll(isServed, { timeout: soonMs }).toBe(true);
}
