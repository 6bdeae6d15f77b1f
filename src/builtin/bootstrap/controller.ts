/** The controllers of bootstrap tokens: one signs the public description of the cluster, one deletes tokens that are over. */
import { ConfigMap, deepEqual, isConflict, isNotFound, metaNamespaceKey, Secret, unless } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import type { KeyRun, SyncResult } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop, objectLoop } from "../kit/loops.js";
import { detachedSignature, isBootstrapToken, signingToken, timeLeft } from "./tokens.js";

const clusterInfo = "kube-public/cluster-info";
const signaturePrefix = "jws-kubeconfig-";

/** A change by another client wakes the key again. */
const unlessOvertaken = unless(isNotFound, isConflict);

/** Signs the kubeconfig in `kube-public/cluster-info` with every token for signing, so that machines that join can trust it. */
export function bootstrapSigner(context: ControllerContext): BuiltInController {
  const configMaps = context.informers.informer(ConfigMap);
  const secrets = context.informers.informer(Secret);
  const sync = async ({ client }: KeyRun): Promise<void> => {
    const info = configMaps.indexer.get(clusterInfo);
    const content = info?.data?.["kubeconfig"];
    if (info === undefined || content === undefined) return;
    const data = Object.fromEntries(
      Object.entries(info.data ?? {}).filter(([key]) => !key.startsWith(signaturePrefix)),
    );
    for (const secret of secrets.indexer.list()) {
      const token = isBootstrapToken(secret) ? signingToken(secret, context.clock.now()) : undefined;
      if (token !== undefined) data[`${signaturePrefix}${token.id}`] = detachedSignature(content, token);
    }
    if (deepEqual(data, info.data)) return;
    await client
      .resource(ConfigMap)
      .update({ ...info, data })
      .catch(unlessOvertaken);
  };
  const loop = keyLoop(context, { name: "bootstrap_signer", kind: "ConfigMap", workers: 1, sync });
  loop.watch(configMaps, ({ type, object }, wake) => {
    if (type !== "deleted" && metaNamespaceKey(object) === clusterInfo) wake(clusterInfo);
  });
  loop.watch(secrets, ({ object }, wake) => {
    if (isBootstrapToken(object)) wake(clusterInfo);
  });
  return { loops: [loop] };
}

/** Deletes bootstrap tokens at their end. */
export function tokenCleaner(context: ControllerContext): BuiltInController {
  const secrets = context.informers.informer(Secret);
  const sync = async (secret: Secret, { client }: KeyRun): Promise<SyncResult | void> => {
    const left = timeLeft(secret, context.clock.now());
    if (left === undefined || !isBootstrapToken(secret)) return;
    if (left > 0) return { requeueAfterMs: left };
    const preconditions = defined({ uid: secret.metadata.uid });
    await client.resource(Secret).delete(secret.metadata, { preconditions }).catch(unlessOvertaken);
  };
  const loop = objectLoop(context, secrets, { name: "token_cleaner", workers: 1, sync });
  loop.watch(secrets, ({ object }, wake) => {
    if (isBootstrapToken(object)) wake(metaNamespaceKey(object));
  });
  return { loops: [loop] };
}
