/** Two small controllers for namespaces: the default service account, and the cluster's root certificate. */
import {
  ConfigMap,
  deepEqual,
  isAlreadyExists,
  isDeleting,
  isNotFound,
  Namespace,
  ServiceAccount,
  unless,
} from "../../api/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { isNamespaceTerminating } from "../pods/pod-control.js";

const rootCaName = "kube-root-ca.crt";
const rootCaNote =
  "The authority that signs the API server's certificate, for clients inside the cluster that reach it by its service address.";

function isActive(namespace: Namespace): boolean {
  return !isDeleting(namespace) && namespace.status?.phase !== "Terminating";
}

/** Ignores a create that fails because the object already exists or the namespace is being deleted. */
const unlessThereOrGoing = unless(isAlreadyExists, isNamespaceTerminating, isNotFound);

export function serviceAccountController(context: ControllerContext): BuiltInController {
  const { informers } = context;
  const namespaces = informers.informer(Namespace);
  const accounts = informers.informer(ServiceAccount);
  const loop = objectLoop(context, namespaces, {
    name: "serviceaccount",
    workers: 1,
    async sync(namespace, { key: name, client }) {
      if (!isActive(namespace) || accounts.indexer.has(`${name}/default`)) return;
      const account = { metadata: { name: "default", namespace: name } };
      await client.resource(ServiceAccount).create(account).catch(unlessThereOrGoing);
    },
  });
  loop.follow(namespaces);
  loop.watch(accounts, ({ type, object: { metadata } }, wake) => {
    if (type === "deleted" && metadata.name === "default") wake(metadata.namespace ?? "");
  });
  return { loops: [loop] };
}

/** Publishes the certificate authority of the server's certificate in every namespace. */
export function rootCaPublisher(context: ControllerContext): BuiltInController | undefined {
  const { informers, credentials } = context;
  const { ca } = credentials;
  if (ca === undefined) return undefined;
  const namespaces = informers.informer(Namespace);
  const configMaps = informers.informer(ConfigMap);
  const data = { "ca.crt": ca };
  const loop = objectLoop(context, namespaces, {
    name: "root_ca_cert_publisher",
    workers: 1,
    async sync(namespace, { key: name, client }) {
      if (!isActive(namespace)) return;
      const annotations = { "kubernetes.io/description": rootCaNote };
      const published = configMaps.indexer.get(`${name}/${rootCaName}`);
      if (published === undefined) {
        const map = { metadata: { name: rootCaName, namespace: name, annotations }, data };
        await client.resource(ConfigMap).create(map).catch(unlessThereOrGoing);
      } else if (!deepEqual(published.data, data) || !published.metadata.annotations?.["kubernetes.io/description"]) {
        const metadata = { ...published.metadata, annotations: { ...published.metadata.annotations, ...annotations } };
        await client.resource(ConfigMap).update({ ...published, metadata, data });
      }
    },
  });
  loop.follow(namespaces);
  loop.watch(configMaps, ({ type, object: { metadata } }, wake) => {
    if (type !== "added" && metadata.name === rootCaName) wake(metadata.namespace ?? "");
  });
  return { loops: [loop] };
}
