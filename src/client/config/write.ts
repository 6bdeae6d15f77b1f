/** Writes kubeconfig files that only their owner can read. */
import { dirname } from "node:path";
import { writeYaml } from "../../api/yaml/index.js";
import { makePrivateFolder, writePrivateFile } from "../../base/index.js";
import type { ExecPlugin, Impersonation, Kubeconfig, KubeconfigCluster, KubeconfigUser } from "./kubeconfig.js";
import { Redacted } from "./redacted.js";

/** Mode 0600, and atomic: a reader never sees half a file. Secrets are written in clear. */
export async function writeKubeconfig(path: string, config: Kubeconfig): Promise<void> {
  await makePrivateFolder(dirname(path));
  await writePrivateFile(path, writeYaml(plainKubeconfig(config)));
}

/** The document of the file, with secrets revealed. */
function plainKubeconfig({ clusters, users, contexts, currentContext }: Kubeconfig): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: clusters.map(({ name, value }) => ({ name, cluster: plainCluster(value) })),
    users: users.map(({ name, value }) => ({ name, user: plainUser(value) })),
    contexts: contexts.map(({ name, value }) => ({ name, context: value })),
    "current-context": currentContext ?? "",
  };
}

function plainCluster(cluster: KubeconfigCluster): object {
  return written({
    server: cluster.server,
    "certificate-authority": cluster.certificateAuthority,
    "certificate-authority-data": cluster.certificateAuthorityData,
    "insecure-skip-tls-verify": cluster.insecureSkipTlsVerify,
    "tls-server-name": cluster.tlsServerName,
    "proxy-url": cluster.proxyUrl,
    "disable-compression": cluster.disableCompression,
    extensions: cluster.extensions,
  });
}

function plainUser(user: KubeconfigUser): object {
  return written({
    token: user.token,
    tokenFile: user.tokenFile,
    "client-certificate": user.clientCertificate,
    "client-certificate-data": user.clientCertificateData,
    "client-key": user.clientKey,
    "client-key-data": user.clientKeyData,
    username: user.username,
    password: user.password,
    exec: user.exec && plainExec(user.exec),
    ...plainImpersonation(user.impersonate ?? {}),
  });
}

function plainExec(exec: ExecPlugin): object {
  const env = exec.env?.map(({ name, value }) => ({ name, value: value.reveal() }));
  return written({ ...exec, env });
}

function plainImpersonation({ user, uid, groups, extra }: Impersonation): object {
  return { as: user, "as-uid": uid, "as-groups": groups, "as-user-extra": extra };
}

function written(fields: object): object {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([key, value]) => [key, value instanceof Redacted ? value.reveal() : value]));
}
