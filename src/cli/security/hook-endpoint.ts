/** Takes the path of a kubeconfig that describes a webhook; gives its address and the credentials for it. */
import { readFile } from "node:fs/promises";
import type { HookEndpoint } from "../../apiserver/index.js";
import { defined } from "../../base/defined.js";
import type { PemSource } from "../../client/config/access.js";
import { loadKubeconfig } from "../../client/config/load.js";
import { resolveAccess } from "../../client/config/resolve.js";

/** Files that the kubeconfig names are read once. */
export async function hookEndpoint(path: string): Promise<HookEndpoint> {
  const access = resolveAccess(await loadKubeconfig(path), path);
  const { server, ca, clientCertificate: pair, token, tokenFile, tlsServerName, insecureSkipTlsVerify } = access;
  if (access.exec !== undefined || access.basic !== undefined) {
    throw new Error(`${path}: a webhook's credentials must be a token or a client certificate`);
  }
  const sent = token?.reveal() ?? (tokenFile && (await readFile(tokenFile, "utf8")).trim());
  return {
    url: server.href,
    ...defined({ ca: ca && (await pem(ca)), token: sent || undefined, serverName: tlsServerName }),
    ...defined({
      insecureSkipTlsVerify,
      clientCertificate: pair && { certificate: await pem(pair.cert), key: await pem(pair.key) },
    }),
  };
}

const pem = async (source: PemSource): Promise<string> =>
  "file" in source ? readFile(source.file, "utf8") : source.pem.reveal();
