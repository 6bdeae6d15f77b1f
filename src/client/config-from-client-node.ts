/** Takes over the configuration of a program that used @kubernetes/client-node. Pure. */
import { type Kubeconfig, parseKubeconfig } from "./config/kubeconfig.js";

/** The parts of a `KubeConfig` that are read; the package itself is not needed. */
export interface ClientNodeKubeConfig {
  readonly currentContext?: string;
  readonly clusters: readonly {
    readonly name: string;
    readonly server: string;
    readonly caData?: string;
    readonly caFile?: string;
    readonly skipTLSVerify?: boolean;
    readonly tlsServerName?: string;
    readonly proxyUrl?: string;
  }[];
  readonly users: readonly {
    readonly name: string;
    readonly token?: string;
    readonly certData?: string;
    readonly certFile?: string;
    readonly keyData?: string;
    readonly keyFile?: string;
    readonly username?: string;
    readonly password?: string;
    readonly exec?: unknown;
    readonly authProvider?: unknown;
    readonly impersonateUser?: string;
  }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly cluster: string;
    readonly user: string;
    readonly namespace?: string;
  }[];
}

/** `connect({ kubeconfig: fromClientNode(kubeConfig) })`. Validated like a file; paths are taken as they are. */
export function fromClientNode({ currentContext, clusters, users, contexts }: ClientNodeKubeConfig): Kubeconfig {
  const document = {
    "current-context": currentContext,
    clusters: clusters.map(({ name, server, ...cluster }) => ({
      name,
      cluster: {
        server,
        "certificate-authority-data": cluster.caData,
        "certificate-authority": cluster.caFile,
        "insecure-skip-tls-verify": cluster.skipTLSVerify,
        "tls-server-name": cluster.tlsServerName,
        "proxy-url": cluster.proxyUrl,
      },
    })),
    users: users.map(({ name, token, username, password, exec, ...user }) => ({
      name,
      user: {
        token,
        username,
        password,
        exec,
        "client-certificate-data": user.certData,
        "client-certificate": user.certFile,
        "client-key-data": user.keyData,
        "client-key": user.keyFile,
        "auth-provider": user.authProvider,
        as: user.impersonateUser,
      },
    })),
    contexts: contexts.map(({ name, ...context }) => ({ name, context })),
  };
  return parseKubeconfig(document, "KubeConfig");
}
