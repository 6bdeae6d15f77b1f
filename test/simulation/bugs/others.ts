/** Bugs towards others: their annotations, objects and namespaces; orders and defaults that are taken for changes. */
import { ConfigMap, Namespace, newControllerRef, Secret, Service } from "../../../src/api/index.js";
import { watch } from "../../../src/controller/index.js";
import { type Bug, forMaps, namespace, ownedBy, secretOf } from "./bug.js";

export const others: readonly Bug[] = [
  {
    name: "annotations-of-others",
    about: "The child is replaced as a whole: the annotations that others put on it are gone.",
    source: "arangodb/kube-arangodb#595, grafana/grafana-operator#127, bank-vaults/bank-vaults#893",
    controller: (mended) => ({
      ...forMaps,
      name: "replaces",
      async reconcile({ object, client, cache }) {
        const wanted = secretOf(object);
        const child = cache.get(Secret, { namespace, name: object.metadata.name });
        if (mended) await client.apply(wanted);
        else if (child === undefined) await client.create(wanted);
        else {
          const { resourceVersion = "" } = child.metadata;
          const values = Object.entries(object.data ?? {});
          const data = Object.fromEntries(values.map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
          const { stringData: _, ...rest } = wanted;
          await client.update({ ...rest, type: "Opaque", data, metadata: { ...rest.metadata, resourceVersion } });
        }
      },
    }),
  },
  {
    name: "labels-of-others",
    about: "The labels of the child are set as a whole, so that those that others put on it are gone.",
    source:
      "prometheus-operator/prometheus-operator#2018, rajsinghtech/garage-operator#400, VictoriaMetrics/operator#1533",
    controller: (mended) => ({
      ...forMaps,
      name: "relabels",
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        const labels = { copy: name };
        const wanted = secretOf(object);
        const child = cache.get(Secret, { namespace, name });
        if (mended) await client.apply({ ...wanted, metadata: { ...wanted.metadata, labels } });
        else if (child === undefined) await client.create({ ...wanted, metadata: { ...wanted.metadata, labels } });
        else {
          const data = wanted.stringData["size"] ?? "";
          const encoded = { size: Buffer.from(data).toString("base64") };
          await client.update({ ...child, data: encoded, metadata: { ...child.metadata, labels } });
        }
      },
    }),
  },
  {
    name: "prunes-strangers",
    about:
      "Every Secret with a name that begins like the owner's is taken for a child, and removed if it is not wanted.",
    source: "prometheus-operator/prometheus-operator#336, sai3010/Typesense-Kubernetes-Operator#11",
    controller: (mended) => ({
      ...forMaps,
      name: "prunes",
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        const wanted = `${name}-${object.data?.["size"] ?? ""}`;
        await client.apply(secretOf(object, wanted, {}));
        const mine = mended
          ? cache.ownedBy(Secret, object)
          : cache.list(Secret, { namespace }).filter(({ metadata }) => metadata.name.startsWith(`${name}-`));
        for (const child of mine) if (child.metadata.name !== wanted) await client.delete(child);
      },
    }),
  },
  {
    name: "owner-in-another-namespace",
    about: "Copies in another namespace name the original as their owner: the garbage collector deletes them.",
    source: "kubernetes/kubernetes#65200, banzaicloud/koperator#186, crossplane/crossplane#895",
    world: { controllers: ["garbage-collector-controller"] },
    setup: async ({ client }) => void (await client.resource(Namespace).create({ metadata: { name: "copies" } })),
    controller: (mended) => ({
      for: ConfigMap,
      writes: [Secret],
      watches: [watch(Secret, ({ object }) => [{ namespace, name: object.metadata.name }])],
      name: "crosses",
      async reconcile({ object, client }) {
        const { name } = object.metadata;
        const ownerReferences = mended ? [] : [newControllerRef(object)];
        await client.apply({ ...secretOf(object), metadata: { name, namespace: "copies", ownerReferences } });
      },
    }),
  },
  {
    name: "order-of-the-cache",
    about: "Values are joined in the order in which the cache lists them, which differs after a restart.",
    source: "keycloak/keycloak#19725, strimzi/strimzi-kafka-operator#6705, istio/istio#37912",
    scenario: async ({ client, sleep }) => {
      const maps = client.resource(ConfigMap, { namespace });
      for (const name of ["m", "z", "a"]) await maps.create({ metadata: { name }, data: { size: name } });
      await sleep(2_000);
    },
    controller: (mended) => ({
      for: ConfigMap,
      writes: [Secret],
      watches: [watch(Secret, () => [{ namespace, name: "m" }])],
      name: "joins",
      async reconcile({ client, cache }) {
        const names = cache.list(ConfigMap, { namespace }).map(({ metadata }) => metadata.name);
        const joined = (mended ? names.toSorted() : names).join(",");
        const metadata = { name: "joined", namespace };
        await client.apply({ apiVersion: "v1", kind: "Secret", metadata, stringData: { joined } });
      },
    }),
  },
  {
    name: "defaults-taken-for-changes",
    about:
      "The server's defaults make the Service differ from the wanted one: each look is a change, noted on the object.",
    source: "ClickHouse/clickhouse-operator#131, openshift/hive#2943, keycloak/keycloak#38846",
    controller: (mended) => ({
      for: ConfigMap,
      owns: [Service],
      name: "defaults",
      slowHotLoops: true,
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        const ports = [{ port: 80 }];
        const metadata = { name, namespace, ownerReferences: ownedBy(object) };
        const wanted = { apiVersion: "v1", kind: "Service", metadata, spec: { ports, clusterIP: "None" } } as const;
        const there = cache.get(Service, { namespace, name });
        if (there === undefined || mended) {
          await client.apply(wanted);
          return;
        }
        if (JSON.stringify(there.spec?.ports) === JSON.stringify(ports)) return;
        const restarts = Number(there.metadata.annotations?.["restarts"] ?? "0") + 1;
        await client.patch(there, { merge: { metadata: { annotations: { restarts: String(restarts) } } } });
      },
    }),
  },
];
