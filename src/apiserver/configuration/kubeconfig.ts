/** Takes the path of a kubeconfig that describes a webhook; gives its address and the credentials for it. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { defined } from "../../base/defined.js";
import { ConfigurationError, readFields, type Section } from "./section.js";

/** A server that this one calls, with the credentials for it: the facts of a kubeconfig. */
export interface HookEndpoint {
  /** http or https. */
  readonly url: string;
  /** The authorities of the server's certificate, in PEM; those of the machine if absent. */
  readonly ca?: string;
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  readonly token?: string;
  readonly serverName?: string;
  readonly insecureSkipTlsVerify?: boolean;
}

/** Files that the kubeconfig names are read once. Rejects with the path of the kubeconfig in the message. */
export async function readHookEndpoint(path: string): Promise<HookEndpoint> {
  const fail = (why: string): ConfigurationError => new ConfigurationError(`${path}: ${why}`);
  const text = await readFile(path, "utf8");
  const { cluster, user } = partsOf(text, fail);
  const folder = dirname(path);
  const url = cluster.text("server");
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")) throw fail("its cluster has no server");
  if (["exec", "auth-provider", "username"].some((name) => user.has(name)))
    throw fail("a webhook's credentials must be a token or a client certificate");
  const [ca, certificate, key] = await Promise.all([
    dataOrFile(cluster, "certificate-authority", folder),
    dataOrFile(user, "client-certificate", folder),
    dataOrFile(user, "client-key", folder),
  ]);
  const tokenFile = user.text("tokenFile");
  const token = tokenFile === "" ? user.text("token") : (await readFile(resolve(folder, tokenFile), "utf8")).trim();
  if ((certificate === undefined) !== (key === undefined)) throw fail("a client certificate needs its key, too");
  return {
    url,
    ...defined({ ca, token: token || undefined, serverName: cluster.text("tls-server-name") || undefined }),
    ...defined({
      insecureSkipTlsVerify: cluster.flag("insecure-skip-tls-verify"),
      clientCertificate: certificate !== undefined && key !== undefined ? { certificate, key } : undefined,
    }),
  };
}

interface Parts {
  readonly cluster: Section;
  /** Empty if there is none. */
  readonly user: Section;
}

/** The cluster and the user of the current context. */
function partsOf(text: string, fail: (why: string) => ConfigurationError): Parts {
  try {
    return readFields(text, (file) => {
      const named = (list: string, name: string, part: string): Section | undefined =>
        file
          .sections(list)
          .find((one) => one.text("name") === name)
          ?.section(part);
      const current = file.text("current-context");
      const context = named("contexts", current, "context");
      if (context === undefined) throw fail(`there is no context ${JSON.stringify(current)}`);
      const cluster = named("clusters", context.text("cluster"), "cluster");
      if (cluster === undefined) throw fail(`there is no cluster ${JSON.stringify(context.text("cluster"))}`);
      return { cluster, user: named("users", context.text("user"), "user") ?? file.part("no user") };
    });
  } catch (error) {
    if (error instanceof ConfigurationError && !error.message.startsWith(fail("").message)) throw fail(error.message);
    throw error;
  }
}

async function dataOrFile(section: Section, name: string, folder: string): Promise<string | undefined> {
  const [data, file] = [section.text(`${name}-data`), section.text(name)];
  if (data !== "") return Buffer.from(data, "base64").toString();
  return file === "" ? undefined : readFile(resolve(folder, file), "utf8");
}
