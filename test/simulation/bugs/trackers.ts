/** Bugs as users of operators report them: data that is lost, secrets that stay behind, runs that never happen. */
import { ConfigMap, Namespace, PersistentVolumeClaim, RoleBinding, Secret } from "../../../src/api/index.js";
import { startRunning } from "../../../src/base/index.js";
import { watch } from "../../../src/controller/index.js";
import { SharedInformerFactory } from "../../../src/informer/index.js";
import { eventually, type ScenarioTools } from "../../../src/testing/index.js";
import { RateLimitingQueue, runWorkers } from "../../../src/workqueue/index.js";
import { managerWith } from "../operators.js";
import { type Bug, forMaps, intermediate, namespace, ownedBy, secretOf, sizeOf, stale } from "./bug.js";

const made = { fieldManager: "copies", force: true } as const;

async function makeNamespaces({ client }: ScenarioTools): Promise<void> {
  for (const name of ["one", "two"]) await client.resource(Namespace).create({ metadata: { name } });
}

/** Users name a namespace, and then another. */
async function moves({ client, sleep }: ScenarioTools): Promise<void> {
  const maps = client.resource(ConfigMap, { namespace });
  await maps.create({ metadata: { name: "a" }, data: { to: "one" } });
  await sleep(2_000);
  await maps.patch("a", { merge: { data: { to: "two" } } });
  await sleep(2_000);
}

/** A cloud that gives its buckets their names, and makes one for each token once. */
const cloud = {
  buckets: new Map<string, string>(),
  create(token: string | undefined): string {
    const known = [...this.buckets].find(([, one]) => one === token)?.[0];
    const name = known ?? `bucket-${this.buckets.size}`;
    this.buckets.set(name, token ?? name);
    return name;
  },
};
const bucketName = "example.com/bucket";

export const trackers: readonly Bug[] = [
  {
    name: "made-twice-elsewhere",
    about: "The name that a cloud gave is noted after the creation: a crash in between makes a second bucket.",
    source: `${intermediate}; crossplane/crossplane-runtime#277, crossplane/crossplane#3037`,
    reset: () => cloud.buckets.clear(),
    ignore: ["metadata.annotations"],
    oracles: [
      eventually("a bucket for each ConfigMap", (view) => {
        const maps = view.list(ConfigMap).filter((map) => map.metadata.namespace === namespace);
        return maps.length === cloud.buckets.size;
      }),
    ],
    controller: (mended) => ({
      for: ConfigMap,
      name: "buckets",
      async reconcile({ object, client }) {
        const { uid, annotations, namespace: of } = object.metadata;
        if (of !== namespace || annotations?.[bucketName] !== undefined) return;
        const name = cloud.create(mended ? uid : undefined);
        await client.patch(object, { merge: { metadata: { annotations: { [bucketName]: name } } } });
      },
    }),
  },
  {
    name: "claims-come-back-empty",
    about: "A size of the past deletes claims, and the size of the present makes them again, without their data.",
    source: `${stale}; pravega/zookeeper-operator#314, Orange-OpenSource/casskop#316`,
    world: { controllers: ["pvc-protection"] },
    scenario: async ({ client, sleep }) => {
      const maps = client.resource(ConfigMap, { namespace });
      await maps.create({ metadata: { name: "a" }, data: { size: "1" } });
      await sleep(1_000);
      await maps.patch("a", { merge: { data: { size: "3" } } });
      await sleep(3_000);
    },
    controller: (mended) => ({
      for: ConfigMap,
      owns: [PersistentVolumeClaim],
      name: "claims",
      async reconcile({ object, cache, client }) {
        const claims = cache.ownedBy(PersistentVolumeClaim, object);
        const isMany = claims.length > sizeOf(object);
        const now = mended && isMany ? await client.reread(object) : object;
        if (now === undefined) return;
        const wanted = Array.from({ length: sizeOf(now) }, (_, index) => `data-${now.metadata.name}-${index}`);
        for (const name of wanted)
          await client.apply({
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            metadata: { name, namespace, ownerReferences: ownedBy(object) },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          });
        for (const claim of claims) if (!wanted.includes(claim.metadata.name)) await client.delete(claim);
      },
    }),
  },
  {
    name: "password-of-the-process",
    about: "A generated password lives in the process: the next one generates another, and locks everybody out.",
    source: "arkmq-org/arkmq-org-broker-operator#58",
    operator: (mended) => (tools) => {
      const passwords = new Map<string, string>();
      return managerWith(tools, {
        ...forMaps,
        name: "passwords",
        async reconcile({ object, cache, client }) {
          const { name, uid = "" } = object.metadata;
          const before = mended ? cache.get(Secret, { namespace, name })?.data?.["password"] : undefined;
          const known = before === undefined ? passwords.get(uid) : atob(before);
          const password = known ?? `drawn-${tools.random.int(1_000_000_000)}`;
          passwords.set(uid, password);
          await client.apply(secretOf(object, name, { password }));
        },
      });
    },
  },
  {
    name: "moved-and-forgotten",
    about: "The status names the new place before the copy in the old one is deleted: after a crash nobody knows it.",
    source: `${intermediate}; elastic/cloud-on-k8s#9686`,
    setup: makeNamespaces,
    scenario: moves,
    controller: (mended) => ({
      for: ConfigMap,
      watches: [
        watch(Secret, ({ object: { metadata } }) =>
          metadata.labels?.["copy-of"] === undefined ? [] : [{ namespace, name: metadata.labels["copy-of"] }],
        ),
      ],
      name: "moves",
      async reconcile({ object, cache, client }) {
        const { name, annotations = {} } = object.metadata;
        const to = object.data?.["to"];
        if (to === undefined) return;
        const labels = { "copy-of": name };
        await client.apply({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: to, labels } });
        const copies = cache.list(Secret).filter(({ metadata }) => metadata.labels?.["copy-of"] === name);
        const old = copies.filter(({ metadata }) => metadata.name === name && metadata.namespace !== to);
        if (mended) for (const copy of old) await client.delete(copy);
        const last = annotations["example.com/in"];
        if (last === to) return;
        await client.patch(object, { merge: { metadata: { annotations: { "example.com/in": to } } } });
        if (!mended) for (const copy of old) if (copy.metadata.namespace === last) await client.delete(copy);
      },
    }),
  },
  {
    name: "handler-compares",
    about: "The handler of updates compares the old object with the new one, and queues what must go: once.",
    source: "mittwald/kubernetes-replicator#241, config-syncer/config-syncer#381",
    setup: makeNamespaces,
    scenario: moves,
    operator:
      (mended) =>
      ({ client, clock }) =>
        startRunning(async (signal) => {
          const informers = new SharedInformerFactory(client);
          const queue = new RateLimitingQueue<string>(undefined, { clock });
          const maps = informers.informer(ConfigMap, { namespace });
          const secrets = informers.informer(Secret);
          const all = (): void => queue.add("all");
          maps.addEventHandler({
            onAdd: all,
            onUpdate: (old, now) => {
              all();
              const [before, to] = [old.data?.["to"], now.data?.["to"]];
              if (!mended && before !== undefined && before !== to) queue.add(`${before}/${now.metadata.name}`);
            },
            onDelete: all,
          });
          secrets.addEventHandler({ onAdd: all, onUpdate: all, onDelete: all });
          await using _started = informers.start({ signal });
          await informers.waitForCacheSync({ signal });
          const labels = { copy: "yes" };
          const sync = async (key: string): Promise<void> => {
            const wanted = maps.indexer
              .list()
              .flatMap(({ data, metadata }) => (data?.["to"] === undefined ? [] : [`${data["to"]}/${metadata.name}`]));
            for (const place of wanted) {
              const [to = "", name = ""] = place.split("/");
              await client.resource(Secret, { namespace: to }).apply({ metadata: { name, labels } }, made);
            }
            const copies = secrets.indexer.list().filter(({ metadata }) => metadata.labels?.["copy"] === "yes");
            for (const { metadata } of copies) {
              const place = `${metadata.namespace}/${metadata.name}`;
              const mustGo = mended ? !wanted.includes(place) && !place.endsWith("-other") : place === key;
              if (mustGo) await client.resource(Secret).delete(metadata);
            }
          };
          await runWorkers({ queue, clock, signal, sync }).finally(() => queue.shutDown());
        }),
  },
  {
    name: "run-noted-first",
    about: "The time of the last run is noted before the run is made: after a crash in between it never happens.",
    source: `${intermediate}; argoproj/argo-workflows#9632, Netflix/metaflow#2657`,
    scenario: async ({ client, sleep }) => {
      await client.resource(ConfigMap, { namespace }).create({ metadata: { name: "a" }, data: { runs: "3" } });
      await sleep(250_000);
    },
    controller: (mended) => ({
      ...forMaps,
      name: "runs",
      async reconcile({ object, client, clock }) {
        const { name, creationTimestamp = "", annotations = {} } = object.metadata;
        const done = Number(annotations["example.com/runs"] ?? 0);
        const runOf = (number: number) => secretOf(object, `${name}-${number}`, {});
        for (let number = 0; mended && number < done; number++) await client.apply(runOf(number));
        if (done >= Number(object.data?.["runs"] ?? 0)) return;
        const leftMs = Date.parse(creationTimestamp) + (done + 1) * 60_000 - clock.now();
        if (leftMs > 0) return { requeueAfterMs: leftMs };
        const note = { merge: { metadata: { annotations: { "example.com/runs": String(done + 1) } } } };
        if (mended) await client.apply(runOf(done));
        await client.patch(object, note);
        if (!mended) await client.create(runOf(done));
        return { requeueAfterMs: 1_000 };
      },
    }),
  },
  {
    name: "only-with-the-namespace",
    about: "The rights in a namespace are granted when it is made, and never again if that did not come to its end.",
    source: `${intermediate}; argoproj-labs/argocd-operator#667, openshift/rbac-permissions-operator#50`,
    controller: (mended) => ({
      for: ConfigMap,
      watches: [
        watch(Namespace, ({ object: { metadata } }) => [{ namespace, name: metadata.name.replace("team-", "") }]),
        watch(RoleBinding, ({ object: { metadata } }) => [
          { namespace, name: metadata.namespace?.replace("team-", "") ?? "" },
        ]),
      ],
      name: "teams",
      async reconcile({ object, cache, client }) {
        const team = object.metadata.name;
        // namespaces of the cluster's own, whose map is no team
        if (object.data?.["size"] === undefined) return;
        const labels = { team };
        const isThere = cache.get(Namespace, { name: `team-${team}` }) !== undefined;
        await client.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: `team-${team}`, labels } });
        if (isThere && !mended && cache.get(RoleBinding, { namespace: `team-${team}`, name: "admin" }) === undefined)
          return;
        await client.apply({
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "RoleBinding",
          metadata: { name: "admin", namespace: `team-${team}`, labels },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" },
          subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: `size-${object.data["size"]}` }],
        });
      },
    }),
  },
];
