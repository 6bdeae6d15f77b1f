/** The configuration of a pod, from its service account and environment. */
import { defined } from "../../base/defined.js";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AccessConfig } from "./access.js";
import { ConfigError } from "./config-error.js";
import type { Surroundings } from "./load.js";
import { parseServer, type Overrides } from "./resolve.js";

/** True if the process seems to run in a pod with a service account. */
export function isInCluster({ env, serviceAccount }: Surroundings): boolean {
  return Boolean(env["KUBERNETES_SERVICE_HOST"]) && existsSync(join(serviceAccount, "token"));
}

export async function inClusterAccess(surroundings: Surroundings, overrides: Overrides = {}): Promise<AccessConfig> {
  const { env, serviceAccount } = surroundings;
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  const source = "in-cluster";
  if (!host || !port) {
    throw new ConfigError({ file: source }, "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined");
  }
  const tokenFile = join(serviceAccount, "token");
  if (!existsSync(tokenFile)) throw new ConfigError({ file: tokenFile }, "there is no service account token");
  const address = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const ca = join(serviceAccount, "ca.crt");
  return {
    source,
    server: parseServer(overrides.master ?? address, { file: source, field: "KUBERNETES_SERVICE_HOST" }),
    namespace: overrides.namespace ?? (await podNamespace(surroundings)),
    tokenFile,
    ...(existsSync(ca) ? { ca: { file: ca } } : {}),
    ...defined({ impersonate: overrides.impersonate }),
  };
}

async function podNamespace({ env, serviceAccount }: Surroundings): Promise<string> {
  const named = env["POD_NAMESPACE"];
  if (named) return named;
  try {
    const text = (await readFile(join(serviceAccount, "namespace"), "utf8")).trim();
    if (text !== "") return text;
  } catch {
    // not mounted: use the common default
  }
  return "default";
}
