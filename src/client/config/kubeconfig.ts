/** The kubeconfig file as data: every field is validated, and secrets are hidden. */
import { defined } from "../../base/defined.js";
import { ConfigError } from "./config-error.js";
import { Redacted } from "./redacted.js";

export interface KubeconfigCluster {
  readonly server: string;
  readonly certificateAuthority?: string;
  /** Base64 of PEM. */
  readonly certificateAuthorityData?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  /** May carry a password. */
  readonly proxyUrl?: Redacted;
  readonly disableCompression?: boolean;
  readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[];
}

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: Redacted }[];
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: "Never" | "IfAvailable" | "Always";
}

export interface KubeconfigUser {
  readonly token?: Redacted;
  readonly tokenFile?: string;
  readonly clientCertificate?: string;
  /** Base64 of PEM. */
  readonly clientCertificateData?: string;
  readonly clientKey?: string;
  /** Base64 of PEM. */
  readonly clientKeyData?: Redacted;
  readonly username?: string;
  readonly password?: Redacted;
  readonly exec?: ExecPlugin;
  readonly authProvider?: string;
  readonly impersonate?: Impersonation;
}

export interface Impersonation {
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface KubeconfigContext {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string;
}

/** A named entry with its file, against which its paths were resolved. */
export interface KubeconfigEntry<T> {
  readonly name: string;
  readonly value: T;
  readonly file?: string;
}

export interface Kubeconfig {
  readonly currentContext?: string;
  readonly clusters: readonly KubeconfigEntry<KubeconfigCluster>[];
  readonly users: readonly KubeconfigEntry<KubeconfigUser>[];
  readonly contexts: readonly KubeconfigEntry<KubeconfigContext>[];
}

type Raw = Readonly<Record<string, unknown>>;

/** Validates the shape of everything; whether entries fit together is checked when a context is chosen. */
export function parseKubeconfig(document: unknown, file: string): Kubeconfig {
  if (document === null || document === undefined) return { clusters: [], users: [], contexts: [] };
  const top = new Fields(document, file, "");
  const kind = top.text("kind");
  if (kind !== undefined && kind !== "Config") throw top.wrong("kind", `is "${kind}", not "Config"`);
  const apiVersion = top.text("apiVersion");
  if (apiVersion !== undefined && apiVersion !== "v1") throw top.wrong("apiVersion", `is "${apiVersion}", not "v1"`);
  const currentContext = top.text("current-context");
  return {
    ...defined({ currentContext: currentContext || undefined }),
    clusters: top.named("clusters", "cluster", parseCluster),
    users: top.named("users", "user", parseUser),
    contexts: top.named("contexts", "context", parseContext),
  };
}

function parseCluster(fields: Fields): KubeconfigCluster {
  const proxyUrl = fields.secret("proxy-url");
  return defined({
    server: fields.text("server") ?? "",
    certificateAuthority: fields.text("certificate-authority"),
    certificateAuthorityData: fields.base64("certificate-authority-data"),
    insecureSkipTlsVerify: fields.flag("insecure-skip-tls-verify"),
    tlsServerName: fields.text("tls-server-name"),
    proxyUrl,
    disableCompression: fields.flag("disable-compression"),
    extensions: fields.list("extensions", (entry) => ({
      name: entry.text("name") ?? "",
      extension: entry.any("extension"),
    })),
  });
}

function parseUser(fields: Fields): KubeconfigUser {
  const keyData = fields.base64("client-key-data");
  const provider = fields.child("auth-provider");
  const exec = fields.child("exec");
  return defined({
    token: fields.secret("token"),
    tokenFile: fields.text("tokenFile"),
    clientCertificate: fields.text("client-certificate"),
    clientCertificateData: fields.base64("client-certificate-data"),
    clientKey: fields.text("client-key"),
    clientKeyData: keyData === undefined ? undefined : new Redacted(keyData),
    username: fields.text("username"),
    password: fields.secret("password"),
    exec: exec && parseExec(exec),
    authProvider: provider && (provider.text("name") ?? ""),
    impersonate: parseImpersonation(fields),
  });
}

function parseImpersonation(fields: Fields): Impersonation | undefined {
  const extra = fields.child("as-user-extra");
  const impersonation = defined({
    user: fields.text("as"),
    uid: fields.text("as-uid"),
    groups: fields.texts("as-groups"),
    extra: extra && Object.fromEntries(extra.keys().map((key) => [key, extra.texts(key) ?? []])),
  });
  return Object.keys(impersonation).length === 0 ? undefined : impersonation;
}

function parseExec(fields: Fields): ExecPlugin {
  const mode = fields.text("interactiveMode");
  if (mode !== undefined && mode !== "Never" && mode !== "IfAvailable" && mode !== "Always") {
    throw fields.wrong("interactiveMode", `is "${mode}", not "Never", "IfAvailable" or "Always"`);
  }
  return defined({
    apiVersion: fields.text("apiVersion") ?? "",
    command: fields.text("command") ?? "",
    args: fields.texts("args"),
    env: fields.list("env", (entry) => {
      const name = entry.text("name");
      if (!name) throw entry.wrong("name", "is missing");
      return { name, value: entry.secret("value") ?? new Redacted("") };
    }),
    installHint: fields.text("installHint"),
    provideClusterInfo: fields.flag("provideClusterInfo"),
    interactiveMode: mode as ExecPlugin["interactiveMode"],
  });
}

function parseContext(fields: Fields): KubeconfigContext {
  return defined({
    cluster: fields.text("cluster") ?? "",
    user: fields.text("user") ?? "",
    namespace: fields.text("namespace"),
  });
}

/** One mapping of the file, whose fields are read by type; a misfit is reported with its place, not its value. */
class Fields {
  readonly #raw: Raw;
  readonly #file: string;
  readonly #path: string;

  constructor(raw: unknown, file: string, path: string) {
    this.#file = file;
    this.#path = path;
    if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
      throw new ConfigError({ file, field: path }, `is ${kindOf(raw)}, not a mapping`);
    }
    this.#raw = raw as Raw;
  }

  wrong(name: string, why: string): ConfigError {
    return new ConfigError({ file: this.#file, field: this.#at(name) }, why);
  }

  keys(): readonly string[] {
    return Object.keys(this.#raw);
  }

  any(name: string): unknown {
    return this.#raw[name];
  }

  text(name: string): string | undefined {
    const value = this.#raw[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    throw this.wrong(name, `is ${kindOf(value)}, not text`);
  }

  secret(name: string): Redacted | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : new Redacted(text);
  }

  base64(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const plain = text.replaceAll(/\s/g, "");
    if (plain.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(plain)) return plain;
    throw this.wrong(name, "is not base64");
  }

  flag(name: string): boolean | undefined {
    const value = this.#raw[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value === "boolean") return value;
    throw this.wrong(name, `is ${kindOf(value)}, not true or false`);
  }

  texts(name: string): readonly string[] | undefined {
    const value = this.#raw[name];
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value as string[];
    throw this.wrong(name, "is not a list of texts");
  }

  child(name: string): Fields | undefined {
    const value = this.#raw[name];
    return value === undefined || value === null ? undefined : new Fields(value, this.#file, this.#at(name));
  }

  list<T>(name: string, parse: (fields: Fields) => T): readonly T[] | undefined {
    const value = this.#raw[name];
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) throw this.wrong(name, `is ${kindOf(value)}, not a list`);
    return value.map((entry, index) => parse(new Fields(entry, this.#file, this.#at(`${name}[${index}]`))));
  }

  named<T>(list: string, inner: string, parse: (fields: Fields) => T): readonly KubeconfigEntry<T>[] {
    const file = this.#file;
    const entries = this.list(list, (entry) => {
      const name = entry.text("name");
      if (name === undefined) throw entry.wrong("name", "is missing");
      const fields = new Fields(entry.any(inner) ?? {}, file, `${list}[${name}].${inner}`);
      return { name, value: parse(fields), file };
    });
    return entries ?? [];
  }

  #at(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a mapping" : typeof value === "string" ? "text" : `a ${typeof value}`;
}
