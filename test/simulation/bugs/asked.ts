/** Bugs in the answers to what users ask for: values that are set but never unset, errors that stay, old children. */
import { ConfigMap, Job, newControllerRef, Secret } from "../../../src/api/index.js";
import { type Bug, forMaps, namespace, secretOf } from "./bug.js";
import { managerWith } from "../operators.js";
import { childOf, Cluster, clusters, definition, forClusters } from "./kind.js";

export const asked: readonly Bug[] = [
  {
    name: "labels-never-removed",
    about: "Labels of the custom object are merged into the child's: one that is taken away stays.",
    source: "Acto (SOSP 2023); xlab-uiuc/acto#84, openstack-k8s-operators/lib-common#343",
    ...definition,
    scenario: clusters,
    operator: (mended) => (tools) =>
      managerWith(tools, {
        ...forClusters,
        name: "labels",
        async reconcile({ object, client, cache }) {
          const { name } = object.metadata;
          const labels = object.spec.labels ?? {};
          const child = cache.get(Secret, { namespace, name });
          if (mended) await client.apply(childOf(object, { labels }));
          else if (child === undefined) await client.create(childOf(object, { labels }));
          else await client.patch(child, { merge: { ...childOf(object), metadata: { labels } } });
        },
      }),
  },
  {
    name: "unset-is-ignored",
    about: "A field that is set is carried over, and one that is unset is not.",
    source: "StarRocks/starrocks-kubernetes-operator#581",
    ...definition,
    scenario: clusters,
    operator: (mended) => (tools) =>
      managerWith(tools, {
        ...forClusters,
        name: "unsets",
        async reconcile({ object, client, cache }) {
          const { size, note } = object.spec;
          const child = cache.get(Secret, { namespace, name: object.metadata.name });
          const data = { size: String(size), ...(note === undefined ? {} : { note }) };
          if (mended) await client.apply(childOf(object, {}, data));
          else if (child === undefined) await client.create(childOf(object, {}, data));
          else await client.patch(child, { merge: { stringData: data } });
        },
      }),
  },
  {
    name: "failed-is-final",
    about: "A request that cannot be met leads to a phase that nothing leads out of, not even its withdrawal.",
    source: "Acto (SOSP 2023), operators that do not recover; pravega/zookeeper-operator#513",
    ...definition,
    scenario: clusters,
    operator: (mended) => (tools) =>
      managerWith(tools, {
        ...forClusters,
        name: "fails",
        async reconcile({ object, client }) {
          if (!mended && object.status?.phase === "Failed") return;
          const phase = object.spec.size > 5 ? "Failed" : "Ready";
          if (phase === "Ready") await client.apply(childOf(object));
          await client.status(Cluster).patch(object, { phase });
        },
      }),
  },
  {
    name: "scale-down-keeps-claims",
    about: "Children that are too many after a scale-down stay.",
    source: "pravega/zookeeper-operator#94, indeedeng/rabbitmq-operator#17",
    ...definition,
    scenario: clusters,
    operator: (mended) => (tools) =>
      managerWith(tools, {
        ...forClusters,
        name: "claims",
        async reconcile({ object, client, cache }) {
          const { name } = object.metadata;
          const wanted = Array.from({ length: object.spec.size }, (_, i) => `${name}-${i}`);
          for (const one of wanted) await client.apply(childOf(object, { name: one }, {}));
          if (!mended) return;
          for (const child of cache.ownedBy(Secret, object))
            if (!wanted.includes(child.metadata.name)) await client.delete(child);
        },
      }),
  },
  {
    name: "orphaned-by-label",
    about: "Children are found by a label with a value of the custom object: when it changes, the old ones are lost.",
    source: "kubernetes/kubernetes#22909, helm/helm#2096: selectors that change leave orphans",
    ...definition,
    scenario: clusters,
    operator: (mended) => (tools) =>
      managerWith(tools, {
        ...forClusters,
        name: "teams",
        async reconcile({ object, client, cache }) {
          const { team = "none" } = object.spec;
          const wanted = `${object.metadata.name}-${team}`;
          await client.apply(childOf(object, { name: wanted, labels: { team } }, {}));
          for (const child of cache.ownedBy(Secret, object)) {
            const isMine = mended || child.metadata.labels?.["team"] === team;
            if (isMine && child.metadata.name !== wanted) await client.delete(child);
          }
        },
      }),
  },
  {
    name: "observed-before-done",
    about:
      "The generation is noted as observed before the work is done, and work that is observed is not looked at again.",
    source: "k8ssandra/cass-operator#657, knative/operator#57",
    ...definition,
    scenario: clusters,
    operator: (mended) => (tools) =>
      managerWith(tools, {
        ...forClusters,
        name: "observes",
        async reconcile({ object, client }) {
          const { generation = 0 } = object.metadata;
          if (!mended && object.status?.observedGeneration === generation) return;
          if (!mended) await client.status(Cluster).patch(object, { observedGeneration: generation });
          await client.apply(childOf(object));
          if (mended) await client.status(Cluster).patch(object, { observedGeneration: generation });
        },
      }),
  },
  {
    name: "created-never-updated",
    about: "Annotations are set when the child is made, and never again.",
    source: "Acto (SOSP 2023); pravega/zookeeper-operator#474, pravega/pravega-operator#657",
    ...definition,
    scenario: clusters,
    operator: (mended) => (tools) =>
      managerWith(tools, {
        ...forClusters,
        name: "annotates",
        async reconcile({ object, client, cache }) {
          const { name } = object.metadata;
          const annotations = { size: String(object.spec.size) };
          if (!mended && cache.get(Secret, { namespace, name }) !== undefined) return;
          await client.apply(childOf(object, { annotations }, {}));
        },
      }),
  },
  {
    name: "refused-for-ever",
    about: "A change goes into a field of the child that nobody may change: the server refuses it again and again.",
    source: "brewfs/brewfs#78, backube/volsync#291: the template of a Job is immutable",
    ...definition,
    scenario: clusters,
    operator: (mended) => (tools) =>
      managerWith(tools, {
        for: Cluster,
        owns: [Job],
        name: "refused",
        async reconcile({ object, client, cache }) {
          const { name } = object.metadata;
          const image = `tool:${object.spec.note || "1"}`;
          const job = cache.get(Job, { namespace, name });
          if (mended && job !== undefined && job.spec?.template.spec?.containers[0]?.image !== image) {
            await client.delete(job, { propagationPolicy: "Background" });
            return;
          }
          const containers = [{ name: "main", image }];
          const metadata = { name, namespace, ownerReferences: [newControllerRef(object, Cluster)] };
          const spec = { template: { spec: { restartPolicy: "Never", containers } } } as const;
          await client.apply({ apiVersion: "batch/v1", kind: "Job", metadata, spec });
        },
      }),
  },
  {
    name: "status-is-the-memory",
    about: "The generated name of the child is known to the status alone: without it, a second child is made.",
    source: "velero-io/velero#1788, bluek8s/kubedirector#500: a status that is not restored",
    ...definition,
    scenario: clusters,
    operator: (mended) => (tools) =>
      managerWith(tools, {
        ...forClusters,
        name: "remembers",
        async reconcile({ object, client, cache }) {
          const { name } = object.metadata;
          if (mended) {
            await client.apply(childOf(object, { name: `${name}-child` }));
            await client.status(Cluster).patch(object, { child: `${name}-child` });
            return;
          }
          const known = object.status?.child ?? "";
          if (known !== "" && cache.get(Secret, { namespace, name: known }) !== undefined) return;
          const { metadata, ...rest } = childOf(object, {}, {});
          const { ownerReferences } = metadata;
          const made = await client.create({
            ...rest,
            metadata: { generateName: `${name}-`, namespace, ownerReferences },
          });
          await client.status(Cluster).patch(object, { child: made.metadata.name });
        },
      }),
  },
  {
    name: "dependency-unwatched",
    about: "A Secret that is needed and not seen yet ends the work without a retry, and is not watched.",
    source: "tektoncd/operator#25, banzaicloud/istio-operator#64: secondary resources that are not watched",
    scenario: async ({ client, sleep }) => {
      const settings = { metadata: { name: "settings" }, stringData: { colour: "green" } };
      await client.resource(Secret, { namespace }).create(settings);
      await client.resource(ConfigMap, { namespace }).create({ metadata: { name: "a" }, data: { size: "1" } });
      await sleep(2_000);
    },
    controller: (mended) => ({
      ...forMaps,
      name: "depends",
      async reconcile({ object, client, cache }) {
        const settings = cache.get(Secret, { namespace, name: "settings" });
        if (settings === undefined) return mended ? { requeueAfterMs: 1_000 } : undefined;
        await client.apply(secretOf(object, "a", { ...object.data, colour: settings.data?.["colour"] ?? "" }));
        return undefined;
      },
    }),
  },
];
