/** Takes the path of a kubeconfig that describes webhooks; gives their address and the credentials for them. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { defined } from "../../base/defined.js";
import { ConfigurationError, readFields, type Section } from "./section.js";

/** The name under which this server comes to another one. */
export interface HookUser {
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  readonly token?: string;
  readonly basic?: { readonly username: string; readonly password: string };
}

/** The header that names the user; as upstream, a token counts before a password. Undefined if a certificate does, or nothing. */
export function authorizationOf({ token, basic }: HookUser): string | undefined {
  if (token !== undefined) return `Bearer ${token}`;
  return basic && `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString("base64")}`;
}

/** A server that this one calls, with the credentials for it: the facts of a kubeconfig. */
export interface HookEndpoint extends HookUser {
  /** http or https. */
  readonly url: string;
  /** The authorities of the server's certificate, in PEM; those of the machine if absent. */
  readonly ca?: string;
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
  const [ca, own] = await Promise.all([
    dataOrFile(cluster, "certificate-authority", folder),
    userIn(user, folder, fail),
  ]);
  return {
    url,
    ...own,
    ...defined({ ca, serverName: cluster.text("tls-server-name") || undefined }),
    ...defined({ insecureSkipTlsVerify: cluster.flag("insecure-skip-tls-verify") }),
  };
}

/** The users of a kubeconfig, and the user of its current context. */
export interface HookUsers {
  readonly byName: ReadonlyMap<string, HookUser>;
  readonly current: HookUser | undefined;
}

/** As `readHookEndpoint`, of a kubeconfig that need not name a server. */
export async function readHookUsers(path: string): Promise<HookUsers> {
  const fail = (why: string): ConfigurationError => new ConfigurationError(`${path}: ${why}`);
  const text = await readFile(path, "utf8");
  const { sections, current } = named(() => readFields(text, usersOf), fail);
  const read = sections.map(async ({ name, user }) => [name, await userIn(user, dirname(path), fail)] as const);
  const byName = new Map(await Promise.all(read));
  return { byName, current: byName.get(current) };
}

function usersOf(file: Section): {
  readonly sections: readonly { readonly name: string; readonly user: Section }[];
  readonly current: string;
} {
  const context = file.sections("contexts").find((one) => one.text("name") === file.text("current-context"));
  return {
    sections: file.sections("users").map((one) => ({ name: one.text("name"), user: one.part("user") })),
    current: context?.part("context").text("user") ?? "",
  };
}

async function userIn(user: Section, folder: string, fail: (why: string) => ConfigurationError): Promise<HookUser> {
  if (["exec", "auth-provider"].some((name) => user.has(name)))
    throw fail("a webhook's credentials must be a token, a password or a client certificate");
  const [certificate, key] = await Promise.all([
    dataOrFile(user, "client-certificate", folder),
    dataOrFile(user, "client-key", folder),
  ]);
  const tokenFile = user.text("tokenFile");
  const token = tokenFile === "" ? user.text("token") : (await readFile(resolve(folder, tokenFile), "utf8")).trim();
  if ((certificate === undefined) !== (key === undefined)) throw fail("a client certificate needs its key, too");
  const clientCertificate = certificate !== undefined && key !== undefined ? { certificate, key } : undefined;
  const username = user.text("username");
  const basic = username === "" ? undefined : { username, password: user.text("password") };
  return defined({ token: token || undefined, basic, clientCertificate });
}

interface Parts {
  readonly cluster: Section;
  /** Empty if there is none. */
  readonly user: Section;
}

/** The cluster and the user of the current context. */
function partsOf(text: string, fail: (why: string) => ConfigurationError): Parts {
  const read = (file: Section): Parts => {
    const part = (list: string, name: string, member: string): Section | undefined =>
      file
        .sections(list)
        .find((one) => one.text("name") === name)
        ?.section(member);
    const current = file.text("current-context");
    const context = part("contexts", current, "context");
    if (context === undefined) throw fail(`there is no context ${JSON.stringify(current)}`);
    const cluster = part("clusters", context.text("cluster"), "cluster");
    if (cluster === undefined) throw fail(`there is no cluster ${JSON.stringify(context.text("cluster"))}`);
    return { cluster, user: part("users", context.text("user"), "user") ?? file.part("no user") };
  };
  return named(() => readFields(text, read), fail);
}

/** A fault names the kubeconfig. */
function named<T>(read: () => T, fail: (why: string) => ConfigurationError): T {
  try {
    return read();
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
