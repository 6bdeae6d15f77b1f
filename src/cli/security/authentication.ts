/** The flags of authentication, by kube-apiserver's names: gives the server's options, with the files that the flags name. */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import {
  type AuthenticationOptions,
  type FrontProxyOptions,
  type ListenAddress,
  readHookEndpoint,
  type TokenWebhookOptions,
} from "../../apiserver/index.js";
import { durationToMs } from "../../api/index.js";
import { defined } from "../../base/defined.js";

export interface AuthenticationFlags {
  readonly authenticationConfig?: string | undefined;
  readonly authenticationTokenWebhookConfigFile?: string | undefined;
  readonly authenticationTokenWebhookVersion?: string | undefined;
  readonly authenticationTokenWebhookCacheTtl?: string | undefined;
  readonly clientCaFile?: string | undefined;
  readonly oidcIssuerUrl?: string | undefined;
  readonly oidcClientId?: string | undefined;
  readonly oidcCaFile?: string | undefined;
  readonly oidcUsernameClaim?: string | undefined;
  readonly oidcUsernamePrefix?: string | undefined;
  readonly oidcGroupsClaim?: string | undefined;
  readonly oidcGroupsPrefix?: string | undefined;
  readonly oidcSigningAlgs?: string | undefined;
  readonly oidcRequiredClaim?: readonly string[] | undefined;
  readonly requestheaderClientCaFile?: string | undefined;
  readonly requestheaderAllowedNames?: string | undefined;
  readonly requestheaderUsernameHeaders?: string | undefined;
  readonly requestheaderUidHeaders?: string | undefined;
  readonly requestheaderGroupHeaders?: string | undefined;
  readonly requestheaderExtraHeadersPrefix?: string | undefined;
}

/** Rejects for flags that contradict each other, and for files that cannot be read. */
export async function authenticationSettings(
  flags: AuthenticationFlags,
): Promise<{ readonly authentication?: AuthenticationOptions }> {
  const { authenticationConfig } = flags;
  const oidc = await oidcSettings(flags);
  if (authenticationConfig !== undefined && oidc !== undefined)
    throw new Error("authentication-config file and oidc-* flags are mutually exclusive");
  const options: AuthenticationOptions = {
    ...oidc,
    ...(authenticationConfig === undefined ? {} : { configuration: { file: authenticationConfig } }),
    ...defined({ webhook: await webhookSettings(flags), frontProxy: await frontProxySettings(flags) }),
  };
  return Object.keys(options).length === 0 ? {} : { authentication: options };
}

/** The authorities of client certificates, for the listener. */
export async function clientAuthority({
  clientCaFile,
}: AuthenticationFlags): Promise<Pick<ListenAddress, "clientAuthority">> {
  return clientCaFile === undefined ? {} : { clientAuthority: await certificatesIn("client-ca-file", clientCaFile) };
}

async function certificatesIn(flag: string, path: string): Promise<string> {
  const pem = await readFile(path, "utf8");
  try {
    new X509Certificate(pem);
    return pem;
  } catch (error) {
    throw new Error(`--${flag}: ${path} holds no certificates`, { cause: error });
  }
}

/** Milliseconds; a time without a unit is refused, as Go does. */
export function durationIn(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return durationToMs(text);
  } catch (error) {
    throw new Error(`--${flag}=${text} is no duration`, { cause: error });
  }
}

/** Throws unless the version is one of the two that webhooks may speak. */
export function hookVersion(flag: string, text: string | undefined): "v1" | "v1beta1" | undefined {
  if (text === undefined || text === "v1" || text === "v1beta1") return text;
  throw new Error(`--${flag}=${text}: supported versions are "v1", "v1beta1"`);
}

async function webhookSettings(flags: AuthenticationFlags): Promise<TokenWebhookOptions | undefined> {
  const prefix = "authentication-token-webhook";
  const { authenticationTokenWebhookConfigFile: path } = flags;
  if (path === undefined) return undefined;
  const version = hookVersion(`${prefix}-version`, flags.authenticationTokenWebhookVersion);
  const cacheTtlMs = durationIn(`${prefix}-cache-ttl`, flags.authenticationTokenWebhookCacheTtl);
  return { endpoint: await readHookEndpoint(path), ...defined({ version, cacheTtlMs }) };
}

const listed = (text: string | undefined): readonly string[] | undefined =>
  text
    ?.split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

async function frontProxySettings(flags: AuthenticationFlags): Promise<FrontProxyOptions | undefined> {
  const { requestheaderClientCaFile: path } = flags;
  if (path === undefined) return undefined;
  return {
    authority: await certificatesIn("requestheader-client-ca-file", path),
    ...defined({
      allowedNames: listed(flags.requestheaderAllowedNames),
      usernameHeaders: listed(flags.requestheaderUsernameHeaders),
      uidHeaders: listed(flags.requestheaderUidHeaders),
      groupHeaders: listed(flags.requestheaderGroupHeaders),
      extraHeaderPrefixes: listed(flags.requestheaderExtraHeadersPrefix),
    }),
  };
}

/** The flags as the configuration that they stand for. */
async function oidcSettings(flags: AuthenticationFlags): Promise<AuthenticationOptions | undefined> {
  const { oidcIssuerUrl: url = "", oidcClientId: audience = "", oidcCaFile } = flags;
  if (url === "" && audience === "") return undefined;
  if (url === "" || audience === "") throw new Error("oidc-issuer-url and oidc-client-id must be specified together");
  const claim = flags.oidcUsernameClaim || "sub";
  const given = flags.oidcUsernamePrefix ?? "";
  const prefix = given === "" && claim !== "email" ? `${url}#` : given === "-" ? "" : given;
  const groups = flags.oidcGroupsClaim;
  const required = (flags.oidcRequiredClaim ?? []).map((text) => {
    const [, name, requiredValue] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined) throw new Error(`--oidc-required-claim=${text} is not of the form claim=value`);
    return { claim: name, requiredValue };
  });
  const issuer = {
    issuer: {
      url,
      audiences: [audience],
      ...(oidcCaFile === undefined ? {} : { certificateAuthority: await readFile(oidcCaFile, "utf8") }),
    },
    claimMappings: {
      username: { claim, prefix },
      ...(groups ? { groups: { claim: groups, prefix: flags.oidcGroupsPrefix ?? "" } } : {}),
    },
    claimValidationRules: required,
  };
  const configuration = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    jwt: [issuer],
  };
  return {
    configuration: JSON.stringify(configuration),
    signingAlgorithms: listed(flags.oidcSigningAlgs) ?? ["RS256"],
  };
}
