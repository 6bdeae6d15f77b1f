/** Informers on a server whose objects never stand still and whose connections break, and which itself is killed and restarted. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { ConfigMap, isAlreadyExists, isConflict, isNotFound, Namespace } from "../../src/api/index.js";
import { type ApiServer, startApiServer } from "../../src/apiserver/index.js";
import { Lifetime, type Random, seededRandom, systemClock } from "../../src/base/index.js";
import { type Client, connect, isConnectionFailure } from "../../src/client/index.js";
import { type FactoryInformer, SharedInformerFactory } from "../../src/informer/index.js";
import { envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { cachedByName, diary, listed } from "../conformance/informer-cases.js";
import { eventually } from "../eventually.js";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.js";

const full = process.env["COXSWAIN_FULL"] === "1";
const changes = full ? 1_500 : 100;
const never = new AbortController().signal;

interface Churn {
  readonly writer: Client;
  readonly namespace: string;
  readonly random: Random;
  /** Called now and then; breaks something. */
  readonly disturb: () => Promise<void> | void;
}

/** The number of users at once: a server that keeps everything on disk groups writes that come together. */
const users = 5;

/** Creates, changes and deletes, as real users would, and breaks something now and then. */
async function churn({ writer, namespace, random, disturb }: Churn): Promise<void> {
  for (let i = 0; i < changes; i += users) {
    await Promise.all(Array.from({ length: users }, (_, user) => change(writer, namespace, random, i + user)));
    if (random.next() < 0.2) await disturb();
  }
}

/** A conflict, a vanished object or a broken connection is no failure. */
async function change(writer: Client, namespace: string, random: Random, i: number): Promise<void> {
  const maps = writer.resource(ConfigMap, { namespace });
  const name = `map-${random.int(40)}`;
  const data = { value: `${i}`, text: "x".repeat(random.int(2000)) };
  try {
    if (random.next() < 0.25) await maps.delete(name);
    else
      await maps.createOrUpdate(name, (current) => ({
        ...current,
        metadata: { ...current?.metadata, name },
        data,
      }));
  } catch (error) {
    if (
      !isNotFound(error) &&
      !isConflict(error) &&
      !isAlreadyExists(error) &&
      !isConnectionFailure(error, "closed", "refused")
    )
      throw error;
  }
}

/** Informers in three ways of listing, all through the proxy, all with a handler that keeps a view of its own. */
function informers(client: Client, namespace: string) {
  const ways = [{}, { useWatchList: false }, { useWatchList: false, pageSize: 5 }];
  const lifetime = new Lifetime();
  const all = ways.map((tuning) => {
    const backoff = { baseMs: 20, factor: 2, capMs: 200, jitter: 1 };
    const factory = new SharedInformerFactory(client, { namespace, tuning: { ...tuning, backoff } });
    const informer = factory.informer(ConfigMap);
    const kept = diary(informer);
    lifetime.use(factory.start());
    return { informer, ...kept };
  });
  return Object.assign(lifetime, { all });
}

/** Shorter than the time after which a silent connection is given up: a request that was cut off must notice by itself. */
const patienceMs = 40_000;
/** A kube-apiserver that is not ready yet may keep a request for the minute that it has: that is not silence. */
const patienceWithRealMs = 120_000;

async function expectEqual(
  all: readonly { readonly informer: FactoryInformer<ConfigMap>; readonly view: ReadonlyMap<string, ConfigMap> }[],
  writer: Client,
  namespace: string,
  withinMs: number,
): Promise<void> {
  const server = await listed(writer.resource(ConfigMap, { namespace }));
  const revisions = (objects: ReadonlyMap<string, ConfigMap>): string =>
    Array.from(objects, ([name, { metadata }]) => `${name}@${metadata.resourceVersion}`)
      .sort()
      .join(" ");
  for (const { informer, view } of all) {
    try {
      await eventually(
        "the cache has caught up",
        () => revisions(cachedByName(informer)) === revisions(server),
        withinMs,
      );
    } catch (cause) {
      const { phase, lastError, lastSyncResourceVersion } = informer.reflector ?? {};
      throw new Error(`${phase} from ${lastSyncResourceVersion}, last error ${String(lastError)}`, { cause });
    }
    await eventually("the handler has caught up", () => revisions(view) === revisions(server), withinMs);
    expect(cachedByName(informer)).toEqual(server);
    expect(new Map(view)).toEqual(server);
  }
}

async function disturbed(proxy: CuttingProxy, random: Random): Promise<void> {
  proxy.cut();
  if (random.next() > 0.5) return;
  proxy.refusing = true;
  await systemClock.sleep(random.int(300), never);
  proxy.refusing = false;
}

function kubeconfigText(server: string, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "it",
    contexts: [{ name: "it", context: { cluster: "it", user: "it" } }],
    clusters: [{ name: "it", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "it", user: { token } }],
  });
}

const built = join(process.cwd(), "dist", "apiserver", "index.js");

/** Serves the data in a folder, prints its address, and runs until it is killed. */
const serverProgram = `
import { startApiServer } from ${JSON.stringify(pathToFileURL(built).href)};
const [dataDir, token] = process.argv.slice(1);
const server = await startApiServer({ dataDir, tokens: new Map([[token, { username: "admin", groups: ["system:masters"] }]]) });
console.log((await server.listen()).url);
`;

async function startServerProcess(dataDir: string, token: string): Promise<{ process: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", serverProgram, dataDir, token], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit").then(() => {
    throw new Error("the server ended before it listened");
  });
  const [line] = (await Promise.race([once(child.stdout, "data"), exited])) as [Buffer];
  // it is to be killed
  exited.catch(() => {});
  return { process: child, url: line.toString().trim() };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

interface Embedded {
  readonly folder: string;
  readonly token: string;
  readonly seed: number;
  readonly url: string;
  /** Ends the server and starts another one on the same data; gives the new address. */
  restart(): Promise<string>;
}

/** Churn on an embedded server that is now and then replaced; nobody gets through meanwhile. */
async function followEmbedded(lifetime: Lifetime, { folder, token, seed, url, restart }: Embedded): Promise<void> {
  const random = seededRandom(seed);
  const namespace = "churn";
  const proxy = lifetime.use(await startCuttingProxy(url));
  const replace = async (): Promise<void> => {
    proxy.refusing = true;
    proxy.cut();
    proxy.server = new URL(await restart());
    proxy.refusing = false;
  };
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigText(proxy.url, token));
  const writer = lifetime.use(await connect({ kubeconfig }));
  await writer.resource(Namespace).create({ metadata: { name: namespace } });
  const reader = lifetime.use(await connect({ kubeconfig }));
  const running = lifetime.use(informers(reader, namespace));
  let replaced = 0;
  const disturb = (): Promise<void> => {
    if (replaced > 0 && random.next() > 0.2) return disturbed(proxy, random);
    replaced += 1;
    return replace();
  };
  await churn({ writer, namespace, random, disturb });
  await expectEqual(running.all, writer, namespace, patienceMs);
  expect(replaced).toBeGreaterThan(0);
}

const assets = envtestAssets();
const absent = assets === undefined ? " (skipped: KUBEBUILDER_ASSETS does not lead to a kube-apiserver)" : "";

describe("while objects change and connections are cut, and in the end, informers follow", () => {
  test.skipIf(assets === undefined)(
    `a real kube-apiserver that is killed and restarted${absent}`,
    async () => {
      await using server = await startEnvtest({ assets: assets as string });
      const random = seededRandom(7);
      const namespace = "churn";
      await using proxy = await startCuttingProxy(server.url);
      await using writer = await connect({ kubeconfig: server.kubeconfig });
      await writer.resource(Namespace).create({ metadata: { name: namespace } });
      await using reader = await connect({ kubeconfig: server.kubeconfig, master: proxy.url });
      await using running = informers(reader, namespace);
      let kills = 0;
      const kill = async (): Promise<void> => {
        kills += 1;
        await server.restartApiserver();
      };
      await churn({
        writer,
        namespace,
        random,
        // one kill takes seconds
        disturb: () => (kills === 0 || (full && kills < 5 && random.next() < 0.2) ? kill() : disturbed(proxy, random)),
      });
      await expectEqual(running.all, writer, namespace, patienceWithRealMs);
      expect(kills).toBeGreaterThan(0);
    },
    600_000,
  );

  test("an embedded server that is stopped and started again", async () => {
    await using lifetime = new Lifetime();
    const folder = await mkdtemp(join(tmpdir(), "coxswain-churn-"));
    lifetime.defer(() => rm(folder, { recursive: true, force: true }));
    const token = randomUUID();
    const start = (): Promise<ApiServer> =>
      startApiServer({
        dataDir: join(folder, "data"),
        tokens: new Map([[token, { username: "admin", groups: ["system:masters"] }]]),
      });
    let server = await start();
    lifetime.defer(() => server[Symbol.asyncDispose]());
    await followEmbedded(lifetime, {
      folder,
      token,
      seed: 11,
      url: (await server.listen()).url,
      async restart() {
        await server[Symbol.asyncDispose]();
        server = await start();
        return (await server.listen()).url;
      },
    });
  }, 600_000);

  test.skipIf(!existsSync(built))(
    "an embedded server in a process that is killed (skipped until there is a build in dist)",
    async () => {
      await using lifetime = new Lifetime();
      const folder = await mkdtemp(join(tmpdir(), "coxswain-churn-"));
      lifetime.defer(() => rm(folder, { recursive: true, force: true }));
      const token = randomUUID();
      let child = await startServerProcess(join(folder, "data"), token);
      lifetime.defer(() => killed(child.process));
      await followEmbedded(lifetime, {
        folder,
        token,
        seed: 13,
        url: child.url,
        async restart() {
          await killed(child.process);
          child = await startServerProcess(join(folder, "data"), token);
          return child.url;
        },
      });
    },
    600_000,
  );
});
