/** Informers on a server whose objects never stand still and whose connections break, and which itself is killed and restarted. */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigMap, isAlreadyExists, isConflict, isNotFound, Namespace } from "../../src/api/index.js";
import { type ApiServer, startApiServer } from "../../src/apiserver/index.js";
import { Lifetime, type Random, seededRandom, systemClock } from "../../src/base/index.js";
import { type Client, connect, hasFailed } from "../../src/client/index.js";
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

/** Creates, changes and deletes, as a real user would: a conflict, a vanished object or a broken connection is no failure. */
async function churn({ writer, namespace, random, disturb }: Churn): Promise<void> {
  const maps = writer.resource(ConfigMap, { namespace });
  for (let i = 0; i < changes; i++) {
    const name = `map-${random.int(40)}`;
    const dice = random.next();
    try {
      if (dice < 0.25) await maps.delete(name);
      else
        await maps.createOrUpdate(name, (current) => ({
          ...current,
          metadata: { ...current?.metadata, name },
          data: { value: `${i}`, text: "x".repeat(random.int(2000)) },
        }));
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error) && !isAlreadyExists(error) && !hasFailed(error, "closed", "refused"))
        throw error;
    }
    if (random.next() < 0.04) await disturb();
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

async function expectEqual(
  all: readonly { readonly informer: FactoryInformer<ConfigMap>; readonly view: ReadonlyMap<string, ConfigMap> }[],
  writer: Client,
  namespace: string,
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
        patienceMs,
      );
    } catch (cause) {
      const { phase, lastError, lastSyncResourceVersion } = informer.reflector ?? {};
      throw new Error(`${phase} from ${lastSyncResourceVersion}, last error ${String(lastError)}`, { cause });
    }
    await eventually("the handler has caught up", () => revisions(view) === revisions(server), patienceMs);
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
        disturb: () => (kills === 0 || (full && kills < 8 && random.next() < 0.2) ? kill() : disturbed(proxy, random)),
      });
      await expectEqual(running.all, writer, namespace);
      expect(kills).toBeGreaterThan(0);
    },
    600_000,
  );

  test("an embedded server that is killed and restarted", async () => {
    await using lifetime = new Lifetime();
    const folder = await mkdtemp(join(tmpdir(), "coxswain-churn-"));
    lifetime.defer(() => rm(folder, { recursive: true, force: true }));
    const random = seededRandom(11);
    const namespace = "churn";
    const token = randomUUID();
    const start = (): Promise<ApiServer> =>
      startApiServer({
        dataDir: join(folder, "data"),
        tokens: new Map([[token, { username: "admin", groups: ["system:masters"] }]]),
      });
    let server = await start();
    lifetime.defer(() => server[Symbol.asyncDispose]());
    const proxy = lifetime.use(await startCuttingProxy((await server.listen()).url));
    /** From now on nobody gets through; the next server goes on from what is on disk. */
    const restart = async (): Promise<void> => {
      proxy.refusing = true;
      proxy.cut();
      await server[Symbol.asyncDispose]();
      server = await start();
      proxy.server = new URL((await server.listen()).url);
      proxy.refusing = false;
    };
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, kubeconfigText(proxy.url, token));
    const writer = lifetime.use(await connect({ kubeconfig }));
    await writer.resource(Namespace).create({ metadata: { name: namespace } });
    const reader = lifetime.use(await connect({ kubeconfig }));
    const running = lifetime.use(informers(reader, namespace));
    await churn({
      writer,
      namespace,
      random,
      disturb: () => (random.next() < 0.3 ? restart() : disturbed(proxy, random)),
    });
    await expectEqual(running.all, writer, namespace);
  }, 600_000);
});
