/** The stand-in for kube-apiserver: the embedded server with the addresses, certificates, keys and modes that the flags give. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readGates } from "../../apiserver/configuration/feature-gates.js";
import { type ApiServer, type ApiServerOptions, type ListenAddress, startApiServer } from "../../apiserver/index.js";
import { defined, unlessEmpty } from "../../base/defined.js";
import {
  abortable,
  createLogger,
  isAbortOf,
  Lifetime,
  makePrivateFolder,
  MetricsRegistry,
  systemClock,
  writePrivateFile,
} from "../../base/index.js";
import { createAuthority, type KeyAndCertificate } from "../../base/x509/certificate.js";
import { isMode } from "../security/authorization.js";
import { type SecurityFlags, securitySettings } from "../security/settings.js";
import { type Arguments, last, listed, readArguments, truth } from "./arguments.js";
import { apiserverFlags } from "./flags.js";
import type { StandIn, StandInContext } from "./stand-in.js";

export const kubeApiserver: StandIn = {
  async run(args, around) {
    const { signal, warn } = around;
    const given = readArguments(args, apiserverFlags);
    for (const text of [...given.warnings, ...unsupported(given)]) warn(text);
    if (listed(given, "etcd-servers").length === 0) throw new Error("--etcd-servers must be specified");
    await using lifetime = new Lifetime();
    const server = lifetime.use(await startApiServer(await serverOptions(given)));
    const listener = lifetime.use(await server.listen(await listenAddress(given)));
    const controllers = last(given, "controllers") ?? process.env["COXSWAIN_CONTROLLERS"] ?? "";
    let work: Promise<unknown> = new Promise<never>(() => {});
    if (!["", "0", "false"].includes(controllers)) {
      const ca = listener.authority;
      const { done } = lifetime.use(await startControllers(server, { controllers, ca }, around));
      work = done;
    }
    await abortable(work, signal).catch((error: unknown) => {
      if (!isAbortOf(signal, error)) throw error;
    });
  },
};

async function serverOptions(given: Arguments): Promise<ApiServerOptions> {
  const modes = listed(given, "authorization-mode");
  const isConfigured = last(given, "authorization-config") !== undefined;
  const allowsAll = !isConfigured && (modes.length === 0 || modes.includes("AlwaysAllow"));
  const authorizationMode =
    modes.length > 0 ? modes.filter(isMode) : isConfigured ? undefined : (["AlwaysAllow"] as const);
  const readsInFlight = count(given, "max-requests-inflight");
  const writesInFlight = count(given, "max-mutating-requests-inflight");
  const network = serviceNetwork(given);
  const admissionFile = last(given, "admission-control-config-file");
  return {
    systemObjects: "at once",
    enabledAdmission: listed(given, "enable-admission-plugins"),
    // a server that allows everything would allow it to strangers
    anonymous: !allowsAll && (truth(given, "anonymous-auth") ?? true),
    disabledAdmission: listed(given, "disable-admission-plugins"),
    serviceNetwork: network,
    limits: defined({ readsInFlight, writesInFlight }),
    log: createLogger({ level: "warn", format: "text" }),
    serviceAccounts: await serviceAccounts(given),
    bootstrapTokens: truth(given, "enable-bootstrap-token-auth") ?? false,
    priorityAndFairness: truth(given, "enable-priority-and-fairness") ?? true,
    cbor: readGates(listed(given, "feature-gates")).on.has("CBORServingAndStorage"),
    ...(admissionFile === undefined ? {} : { admissionConfiguration: { file: admissionFile } }),
    ...(await securitySettings({ ...securityFlags(given), authorizationMode })),
  };
}

function securityFlags(given: Arguments): SecurityFlags {
  return {
    ...namedFlags(given),
    oidcRequiredClaim: given.flags.get("oidc-required-claim"),
    auditLogMaxsize: count(given, "audit-log-maxsize"),
    auditLogMaxage: count(given, "audit-log-maxage"),
    auditLogMaxbackup: count(given, "audit-log-maxbackup"),
    auditWebhookBatchMaxSize: count(given, "audit-webhook-batch-max-size"),
  };
}

/** Flags whose values are passed on as they are. */
const passedOn = [
  "audit-log-path",
  "audit-policy-file",
  "audit-webhook-config-file",
  "audit-webhook-initial-backoff",
  "authentication-config",
  "authentication-token-webhook-config-file",
  "authentication-token-webhook-version",
  "authentication-token-webhook-cache-ttl",
  "authorization-config",
  "authorization-policy-file",
  "authorization-webhook-config-file",
  "authorization-webhook-version",
  "authorization-webhook-cache-authorized-ttl",
  "authorization-webhook-cache-unauthorized-ttl",
  "oidc-issuer-url",
  "oidc-client-id",
  "oidc-ca-file",
  "oidc-username-claim",
  "oidc-username-prefix",
  "oidc-groups-claim",
  "oidc-groups-prefix",
  "oidc-signing-algs",
  "requestheader-client-ca-file",
  "requestheader-allowed-names",
  "requestheader-username-headers",
  "requestheader-uid-headers",
  "requestheader-group-headers",
  "requestheader-extra-headers-prefix",
  "token-auth-file",
] as const;

function namedFlags(given: Arguments): SecurityFlags {
  const key = (flag: string): string => flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const entries = passedOn.map((flag) => {
    const values = given.flags.get(flag);
    return [key(flag), flag.startsWith("requestheader") ? values?.join(",") : values?.at(-1)] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

async function serviceAccounts(given: Arguments): Promise<NonNullable<ApiServerOptions["serviceAccounts"]>> {
  const signing = last(given, "service-account-signing-key-file");
  const accepted = await Promise.all((given.flags.get("service-account-key-file") ?? []).map(text));
  const audiences = listed(given, "api-audiences");
  return defined({
    issuer: given.flags.get("service-account-issuer")?.[0],
    audiences: audiences.length === 0 ? undefined : audiences,
    keys:
      signing === undefined
        ? undefined
        : { signing: await text(signing), ...defined({ accepted: unlessEmpty(accepted) }) },
  });
}

function serviceNetwork(given: Arguments): NonNullable<ApiServerOptions["serviceNetwork"]> {
  const ranges = listed(given, "service-cluster-ip-range");
  const cidr = ranges.length === 0 ? undefined : ranges.join(",");
  const [, first, end] = /^(\d+)[-+](\d+)$/.exec(last(given, "service-node-port-range") ?? "") ?? [];
  const ports = first === undefined ? {} : { firstNodePort: Number(first), lastNodePort: Number(end) };
  return { ...defined({ cidr }), ...ports };
}

async function listenAddress(given: Arguments): Promise<ListenAddress> {
  const clientFile = last(given, "client-ca-file");
  const address = last(given, "bind-address") ?? "0.0.0.0";
  return {
    address,
    port: count(given, "secure-port") ?? 6443,
    certificate: await servingCertificate(given, address),
    ...(clientFile === undefined ? {} : { clientAuthority: await text(clientFile) }),
  };
}

/** The files that flags name, else the files in the folder of certificates, which are created if they are missing. */
async function servingCertificate(given: Arguments, address: string): Promise<KeyAndCertificate> {
  const [certFile, keyFile] = [last(given, "tls-cert-file"), last(given, "tls-private-key-file")];
  if (certFile !== undefined && keyFile !== undefined)
    return { certificate: await text(certFile), key: await text(keyFile) };
  const folder = last(given, "cert-dir") ?? "/var/run/kubernetes";
  const files = { certificate: join(folder, "apiserver.crt"), key: join(folder, "apiserver.key") };
  try {
    return { certificate: await readFile(files.certificate, "utf8"), key: await readFile(files.key, "utf8") };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const made = selfSigned(address);
  await makePrivateFolder(folder);
  await writePrivateFile(files.key, made.key);
  await writePrivateFile(files.certificate, made.certificate);
  return made;
}

/** A client may trust this file as its authority, because the certificate of the authority follows the server's. */
function selfSigned(address: string): KeyAndCertificate {
  const now = systemClock.now();
  const authority = createAuthority({ commonName: "apiserver-ca", now });
  const services = ["kubernetes", "kubernetes.default", "kubernetes.default.svc"];
  const hosts = [...new Set(["localhost", "127.0.0.1", "::1", address, ...services])];
  const { key, certificate } = authority.issue({ commonName: "apiserver", use: "server", hosts, now });
  return { key, certificate: certificate + authority.certificate };
}

/** `*` for all of them, as `true` and `1` are. */
async function startControllers(
  server: ApiServer,
  { controllers, ca }: { readonly controllers: string; readonly ca: string | undefined },
  { signal }: StandInContext,
): Promise<AsyncDisposable & { readonly done: Promise<void> }> {
  const [{ startParts }, { builtInControllers, selectControllers }] = await Promise.all([
    import("../parts.js"),
    import("../../builtin/index.js"),
  ]);
  const names = /^(?:1|true)$/i.test(controllers) ? ["*"] : controllers.split(",");
  const credentials = { tokenKey: server.tokenKey(), signer: server.authority(), ...defined({ ca }) };
  const shared = { metrics: new MetricsRegistry(), log: createLogger({ level: "warn", format: "text" }), credentials };
  const none = { nodes: 0, speed: 1, scheduler: false };
  return startParts(server, { ...none, ...shared, controllers: selectControllers(names, builtInControllers) }, signal);
}

/** Sentences about values that have no effect, of flags that have one. */
function unsupported(given: Arguments): readonly string[] {
  const modes = listed(given, "authorization-mode").filter((mode) => !isMode(mode));
  // the default versions are served in any case
  const versions = listed(given, "runtime-config").filter((one) =>
    /(?:alpha|beta)\d+(?:\/[^=]+)?(?:=true)?$|=false$/.test(one),
  );
  const gates = readGates(listed(given, "feature-gates")).unknown;
  return [
    ...(gates.length === 0 ? [] : [`feature gates without effect: ${gates.join(", ")}`]),
    ...(modes.length === 0 ? [] : [`authorization modes without effect: ${modes.join(", ")}`]),
    ...(versions.length === 0 ? [] : [`no effect of --runtime-config: ${versions.join(", ")}`]),
  ];
}

function count(given: Arguments, name: string): number | undefined {
  const sent = last(given, name);
  if (sent === undefined) return undefined;
  if (!/^\d{1,9}$/.test(sent)) throw new Error(`--${name}=${sent} is no number`);
  return Number(sent);
}

const text = (file: string): Promise<string> => readFile(file, "utf8");
