/** Chooses a context and checks that its entries fit together. Pure: takes loaded files, gives an AccessConfig. */
import { defined } from "../../base/defined.js";
import { parseProxy } from "../transport/proxy-choice.js";
import type { AccessConfig, PemSource } from "./access.js";
import { ConfigError, type ConfigPlace } from "./config-error.js";
import type {
  Impersonation,
  Kubeconfig,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigUser,
  KubeconfigEntry,
} from "./kubeconfig.js";
import { Redacted } from "./redacted.js";

/** Values that take precedence over the file. */
export interface Overrides {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
  /** The server's URL. */
  readonly master?: string | undefined;
  readonly impersonate?: Impersonation | undefined;
}

export function resolveAccess(config: Kubeconfig, source: string, overrides: Overrides = {}): AccessConfig {
  const context = chooseContext(config, source, overrides);
  const at = { file: source, context: context?.name };
  const cluster = chosen("cluster", config.clusters, {
    name: overrides.cluster ?? context?.value.cluster,
    place: at,
    optional: overrides.master !== undefined,
  });
  const user = chosen("user", config.users, { name: overrides.user ?? context?.value.user, place: at, optional: true });
  const reached = clusterAccess(cluster, at, overrides.master);
  const identified = user === undefined ? {} : userAccess(user, { context: context?.name });
  const impersonate = overrides.impersonate ?? user?.value.impersonate;
  if (impersonate !== undefined)
    checkImpersonation(impersonate, { ...at, field: `users[${user?.name ?? ""}].user.as` });
  // as upstream: credentials are not sent over plain HTTP
  const trusted = reached.server.protocol === "https:" ? withClusterInfo(identified, cluster?.value) : {};
  return {
    ...defined({ source, context: context?.name, impersonate }),
    namespace: overrides.namespace ?? context?.value.namespace ?? "default",
    ...reached,
    ...trusted,
  };
}

function chooseContext(
  { contexts, currentContext }: Kubeconfig,
  file: string,
  overrides: Overrides,
): KubeconfigEntry<KubeconfigContext> | undefined {
  const name = overrides.context ?? currentContext;
  const known = contexts.map((context) => context.name).join(", ") || "none";
  if (name === undefined) {
    if (overrides.master !== undefined || overrides.cluster !== undefined) return undefined;
    throw new ConfigError({ file, field: "current-context" }, `is not set; contexts in it: ${known}`);
  }
  const context = contexts.find((candidate) => candidate.name === name);
  if (context !== undefined) return context;
  const field = overrides.context === undefined ? "current-context" : undefined;
  throw new ConfigError({ file, field }, `there is no context "${name}"; contexts in it: ${known}`);
}

function chosen<T>(
  what: "cluster" | "user",
  entries: readonly KubeconfigEntry<T>[],
  {
    name,
    place,
    optional,
  }: { readonly name: string | undefined; readonly place: ConfigPlace; readonly optional: boolean },
): KubeconfigEntry<T> | undefined {
  if (name === undefined || name === "") {
    if (optional) return undefined;
    throw new ConfigError(place, `the context names no ${what}`);
  }
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const known = entries.map((candidate) => candidate.name).join(", ") || "none";
  throw new ConfigError(place, `the ${what} "${name}" is not defined; ${what}s in it: ${known}`);
}

type ClusterPart = Pick<
  AccessConfig,
  "server" | "ca" | "insecureSkipTlsVerify" | "tlsServerName" | "proxy" | "compression"
>;

function clusterAccess(
  entry: KubeconfigEntry<KubeconfigCluster> | undefined,
  place: ConfigPlace,
  master: string | undefined,
): ClusterPart {
  const cluster = entry?.value;
  const at = (field: string): ConfigPlace => ({
    ...place,
    file: entry?.file ?? place.file,
    field: `clusters[${entry?.name}].cluster.${field}`,
  });
  const server =
    master === undefined ? parseServer(cluster?.server ?? "", at("server")) : parseServer(master, { field: "master" });
  if (cluster === undefined) return { server };
  const ca = pemSource(cluster.certificateAuthority, cluster.certificateAuthorityData);
  if (ca !== undefined && cluster.insecureSkipTlsVerify === true) {
    throw new ConfigError(at("insecure-skip-tls-verify"), "is set together with a certificate authority: choose one");
  }
  if (ca !== undefined && "pem" in ca) checkPem(ca.pem, "CERTIFICATE", at("certificate-authority-data"));
  if (cluster.proxyUrl !== undefined) checkProxy(cluster.proxyUrl, at("proxy-url"));
  // the server name of the file's cluster does not apply to another server
  const tlsServerName = master === undefined ? cluster.tlsServerName : undefined;
  return defined({
    server,
    ca,
    insecureSkipTlsVerify: cluster.insecureSkipTlsVerify === true ? true : undefined,
    tlsServerName,
    proxy: cluster.proxyUrl,
    compression: cluster.disableCompression === true ? false : undefined,
  });
}

/** As upstream, a host without a scheme means https if it has port 443, http otherwise. */
export function parseServer(text: string, place: ConfigPlace): URL {
  if (text === "") throw new ConfigError(place, "is missing");
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  } catch {
    throw new ConfigError(place, "is not a URL");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ConfigError(place, `has the scheme ${url.protocol.slice(0, -1)}, not http or https`);
  }
  if (url.username !== "" || url.password !== "") throw new ConfigError(place, "carries a user: say it in users");
  return url;
}

function checkProxy(secret: Redacted, place: ConfigPlace): void {
  const text = secret.reveal();
  let protocol: string;
  try {
    ({ protocol } = parseProxy(text));
  } catch {
    throw new ConfigError(place, "is not a URL");
  }
  if (!["http:", "https:", "socks5:", "socks5h:"].includes(protocol)) {
    throw new ConfigError(place, `has the scheme ${protocol.slice(0, -1)}, not http, https or socks5`);
  }
}

type UserPart = Pick<AccessConfig, "token" | "tokenFile" | "basic" | "clientCertificate" | "exec">;

function userAccess(entry: KubeconfigEntry<KubeconfigUser>, place: ConfigPlace): UserPart {
  const user = entry.value;
  const at = (field: string): ConfigPlace => ({
    ...place,
    file: entry.file,
    field: `users[${entry.name}].user${field === "" ? "" : `.${field}`}`,
  });
  const { token, tokenFile, username, password, exec } = user;
  if (username !== undefined && (token !== undefined || tokenFile !== undefined)) {
    throw new ConfigError(at(""), "has both a token and a username: only one is allowed");
  }
  const clientCertificate = certificateOf(user, at);
  checkPlugins(user, at);
  const known = token ?? tokenFile ?? username ?? clientCertificate;
  return defined({
    token,
    tokenFile,
    basic: username === undefined ? undefined : { username, password: password ?? new Redacted("") },
    clientCertificate,
    // explicit credentials make a plug-in unnecessary
    exec: known === undefined ? exec : undefined,
  });
}

function certificateOf(user: KubeconfigUser, at: (field: string) => ConfigPlace): AccessConfig["clientCertificate"] {
  const cert = pemSource(user.clientCertificate, user.clientCertificateData);
  const key = pemSource(user.clientKey, user.clientKeyData);
  if (cert === undefined && key === undefined) return undefined;
  if (key === undefined) throw new ConfigError(at("client-key"), "is missing, but there is a client certificate");
  if (cert === undefined) throw new ConfigError(at("client-certificate"), "is missing, but there is a client key");
  if ("pem" in cert) checkPem(cert.pem, "CERTIFICATE", at("client-certificate-data"));
  if ("pem" in key) checkPem(key.pem, "PRIVATE KEY", at("client-key-data"));
  return { cert, key };
}

const execVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

function checkPlugins({ exec, authProvider }: KubeconfigUser, at: (field: string) => ConfigPlace): void {
  if (authProvider !== undefined) {
    const instead = exec === undefined ? "use an exec plug-in instead" : "and there is an exec plug-in too";
    throw new ConfigError(at("auth-provider"), `"${authProvider}" is not supported: ${instead}`);
  }
  if (exec === undefined) return;
  if (exec.command === "") throw new ConfigError(at("exec.command"), "is missing");
  if (exec.apiVersion === "") throw new ConfigError(at("exec.apiVersion"), "is missing");
  if (!execVersions.includes(exec.apiVersion)) {
    throw new ConfigError(at("exec.apiVersion"), `is "${exec.apiVersion}", not ${execVersions.join(" or ")}`);
  }
  if (exec.interactiveMode === undefined && exec.apiVersion === execVersions[0]) {
    throw new ConfigError(at("exec.interactiveMode"), `is missing, which ${execVersions[0]} requires`);
  }
}

function checkImpersonation({ user, uid, groups, extra }: Impersonation, place: ConfigPlace): void {
  if (user !== undefined && user !== "") return;
  if (uid === undefined && groups === undefined && extra === undefined) return;
  throw new ConfigError(place, "is missing: a uid, groups or extra cannot be assumed without a user");
}

/** As upstream, data wins over a file. */
function pemSource(file: string | undefined, data: string | Redacted | undefined): PemSource | undefined {
  if (data !== undefined) {
    const text = typeof data === "string" ? data : data.reveal();
    return { pem: new Redacted(Buffer.from(text, "base64").toString("utf8")) };
  }
  return file === undefined ? undefined : { file };
}

function checkPem(pem: Redacted, what: string, place: ConfigPlace): void {
  if (!new RegExp(`-----BEGIN [A-Z ]*${what}-----`).test(pem.reveal())) {
    throw new ConfigError(place, `holds no PEM block of a ${what}`);
  }
}

function withClusterInfo(user: UserPart, cluster: KubeconfigCluster | undefined): UserPart {
  const { exec } = user;
  if (exec?.provideClusterInfo !== true || cluster === undefined) return user;
  const config = cluster.extensions?.find(({ name }) => name === "client.authentication.k8s.io/exec")?.extension;
  return {
    ...user,
    exec: {
      ...exec,
      cluster: {
        server: cluster.server,
        "tls-server-name": cluster.tlsServerName,
        "insecure-skip-tls-verify": cluster.insecureSkipTlsVerify,
        "certificate-authority-data": cluster.certificateAuthorityData,
        "proxy-url": cluster.proxyUrl?.reveal(),
        "disable-compression": cluster.disableCompression,
        config: config ?? null,
      },
    },
  };
}
