/** Bugs of processes: leaders that begin in the middle, clocks, deletions that nobody saw, lists that end early. */
import { ConfigMap, type KubeObject, metaNamespaceKey, Secret } from "../../../src/api/index.js";
import { deletionHandlingKey } from "../../../src/informer/index.js";
import type { ScenarioTools } from "../../../src/testing/index.js";
import { managerWith } from "../operators.js";
import { type Bug, forMaps, namespace, secretOf, unobserved } from "./bug.js";
import { classic } from "./classic.js";

async function withDeletion({ client, sleep }: ScenarioTools): Promise<void> {
  const maps = client.resource(ConfigMap, { namespace });
  await maps.create({ metadata: { name: "a" }, data: { size: "1" } });
  await maps.create({ metadata: { name: "b" }, data: { size: "1" } });
  await sleep(2_000);
  await maps.delete("a");
  await sleep(2_000);
}

async function overMinutes({ client, sleep }: ScenarioTools): Promise<void> {
  const maps = client.resource(ConfigMap, { namespace });
  for (const name of ["a", "b", "c"]) {
    await maps.create({ metadata: { name }, data: { size: "1" } });
    await sleep(20_000);
  }
  await maps.patch("a", { merge: { data: { size: "2" } } });
  await sleep(10_000);
}

export const processes: readonly Bug[] = [
  {
    name: "tombstones",
    about: "The handler of deletions expects an object, and gets the sign of a deletion that nobody saw.",
    source: `${unobserved}; projectcalico/calico#12793, kubernetes-sigs/aws-load-balancer-controller#4879`,
    scenario: withDeletion,
    operator: (mended) => (tools) =>
      classic(tools, {
        keyOfDeleted: (object) => (mended ? deletionHandlingKey(object) : metaNamespaceKey(object as KubeObject)),
      }),
  },
  {
    name: "leader-begins-in-the-middle",
    about: "A new leader works on the events from then on: those between two leaders are nobody's.",
    source: "hadron-project/hadron#71, d2iq-archive/marathon#1652",
    scenario: overMinutes,
    replicas: 2,
    operator: (mended) => (tools) => classic(tools, { leads: mended ? "all" : "events" }),
  },
  {
    name: "waits-by-the-wall-clock",
    about: "A pause between two actions is measured by wall time: when the clock is set back, it lasts for hours.",
    source: "golang/go#12914: intervals by wall time",
    scenario: overMinutes,
    operator: (mended) => (tools) => {
      const last = new Map<string, number>();
      return managerWith(tools, {
        ...forMaps,
        name: "paces",
        async reconcile({ object, client, clock }) {
          const { name } = object.metadata;
          const now = mended ? clock.monotonic() : clock.now();
          const since = now - (last.get(name) ?? Number.NEGATIVE_INFINITY);
          if (since < 2_000) return { requeueAfterMs: 2_000 - since };
          await client.apply(secretOf(object));
          last.set(name, now);
          return undefined;
        },
      });
    },
  },
  {
    name: "part-of-a-list",
    about: "A list in pages that fails in the middle is taken for the whole.",
    source: "kubernetes documentation on retrieving large results in chunks: continue tokens and errors between pages",
    operator: (mended) => (tools) =>
      managerWith(tools, {
        for: ConfigMap,
        owns: [Secret],
        name: "pages",
        async reconcile({ client }) {
          const maps = tools.client.resource(ConfigMap, { namespace });
          const names: string[] = [];
          let next: string | undefined;
          try {
            do {
              const page = await maps.list({ limit: 1, ...(next === undefined ? {} : { continue: next }) });
              names.push(...page.items.map(({ metadata }) => metadata.name));
              next = page.metadata.continue === "" ? undefined : page.metadata.continue;
            } while (next !== undefined);
          } catch (error) {
            if (mended || names.length === 0) throw error;
          }
          const metadata = { name: "index", namespace };
          await client.apply({ apiVersion: "v1", kind: "Secret", metadata, stringData: { names: names.join(",") } });
        },
      }),
  },
  {
    name: "expects-for-ever",
    about: "A creation that was begun is expected to be seen, and not begun again, even if it failed.",
    source: "kubernetes/kubernetes, the expectations of its controllers, which time out for this reason",
    operator: (mended) => (tools) => {
      const begun = new Map<string, number>();
      return managerWith(tools, {
        ...forMaps,
        name: "expects",
        async reconcile({ object, client, cache, clock }) {
          const { name } = object.metadata;
          if (cache.get(Secret, { namespace, name }) !== undefined) begun.delete(name);
          else {
            const since = clock.monotonic() - (begun.get(name) ?? Number.NEGATIVE_INFINITY);
            if (since < 5_000 || (!mended && begun.has(name))) return mended ? { requeueAfterMs: 5_000 } : undefined;
            begun.set(name, clock.monotonic());
          }
          await client.apply(secretOf(object));
          return undefined;
        },
      });
    },
  },
];
