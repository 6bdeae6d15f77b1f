import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadAccess } from "../connect.js";
import { parseProxy, proxyFromEnvironment } from "../transport/proxy-choice.js";
import { impersonationHeaders } from "./credentials.js";
import type { Surroundings } from "./load.js";
import { loadKubeconfig } from "./load.js";
import { Redacted } from "./redacted.js";
import { writeKubeconfig } from "./write.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "coxswain-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const nowhere = (env: Surroundings["env"] = {}): Surroundings => ({
  env,
  home: join(folder, "home"),
  serviceAccount: join(folder, "service-account"),
});

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
  readonly top?: object;
}

function kubeconfig({ cluster, user, context, top }: Parts = {}): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "dev",
    clusters: [{ name: "local", cluster: { server: "https://localhost:6443", ...cluster } }],
    users: [{ name: "me", user: { ...user } }],
    contexts: [{ name: "dev", context: { cluster: "local", user: "me", ...context } }],
    ...top,
  };
}

const certificate = Buffer.from("-----BEGIN CERTIFICATE-----\n").toString("base64");
const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "login", interactiveMode: "Never" };

describe("a kubeconfig with one thing wrong says the file, the context and the field", () => {
  const cases: readonly (readonly [title: string, content: unknown, message: string])[] = [
    ["no YAML", "a: [", "is not YAML: see line 1"],
    ["a list", "[]", "is a list, not a mapping"],
    ["another kind", kubeconfig({ top: { kind: "Pod" } }), 'kind: is "Pod", not "Config"'],
    ["another version", kubeconfig({ top: { apiVersion: "v2" } }), 'apiVersion: is "v2", not "v1"'],
    ["clusters no list", kubeconfig({ top: { clusters: {} } }), "clusters: is a mapping, not a list"],
    ["a nameless cluster", kubeconfig({ top: { clusters: [{}] } }), "clusters[0].name: is missing"],
    [
      "no current context",
      kubeconfig({ top: { "current-context": "" } }),
      "current-context: is not set; contexts in it: dev",
    ],
    ["an unknown context", kubeconfig({ top: { "current-context": "x" } }), 'current-context: there is no context "x"'],
    [
      "an unknown cluster",
      kubeconfig({ context: { cluster: "x" } }),
      'context dev: the cluster "x" is not defined; clusters in it: local',
    ],
    ["no cluster", kubeconfig({ context: { cluster: "" } }), "context dev: the context names no cluster"],
    ["an unknown user", kubeconfig({ context: { user: "x" } }), 'context dev: the user "x" is not defined'],
    [
      "a numeric namespace",
      kubeconfig({ context: { namespace: 1 } }),
      "contexts[dev].context.namespace: is a number, not text",
    ],
    ["no server", kubeconfig({ cluster: { server: "" } }), "context dev: clusters[local].cluster.server: is missing"],
    ["a bad server", kubeconfig({ cluster: { server: "https://:x" } }), "clusters[local].cluster.server: is not a URL"],
    [
      "a strange scheme",
      kubeconfig({ cluster: { server: "ftp://a" } }),
      "server: has the scheme ftp, not http or https",
    ],
    [
      "bad CA data",
      kubeconfig({ cluster: { "certificate-authority-data": "%%" } }),
      "certificate-authority-data: is not base64",
    ],
    [
      "CA data that is no PEM",
      kubeconfig({ cluster: { "certificate-authority-data": "YWJj" } }),
      "certificate-authority-data: holds no PEM block",
    ],
    [
      "CA and insecure",
      kubeconfig({ cluster: { "certificate-authority-data": certificate, "insecure-skip-tls-verify": true } }),
      "insecure-skip-tls-verify: is set together with a certificate authority",
    ],
    [
      "a textual flag",
      kubeconfig({ cluster: { "insecure-skip-tls-verify": "yes" } }),
      "insecure-skip-tls-verify: is text, not true or false",
    ],
    ["a bad proxy", kubeconfig({ cluster: { "proxy-url": "gopher://a" } }), "proxy-url: has the scheme gopher"],
    ["a numeric token", kubeconfig({ user: { token: 5 } }), "users[me].user.token: is a number, not text"],
    [
      "token and basic",
      kubeconfig({ user: { token: "hush", username: "u" } }),
      "users[me].user: has both a token and a username",
    ],
    ["a certificate without key", kubeconfig({ user: { "client-certificate": "a" } }), "client-key: is missing"],
    ["a key without certificate", kubeconfig({ user: { "client-key": "a" } }), "client-certificate: is missing"],
    [
      "key data that is no PEM",
      kubeconfig({ user: { "client-certificate-data": certificate, "client-key-data": "YWJj" } }),
      "client-key-data: holds no PEM block",
    ],
    [
      "an auth provider",
      kubeconfig({ user: { "auth-provider": { name: "gcp" } } }),
      'auth-provider: "gcp" is not supported: use an exec plug-in',
    ],
    ["exec without command", kubeconfig({ user: { exec: { ...exec, command: "" } } }), "exec.command: is missing"],
    [
      "exec of an unknown version",
      kubeconfig({ user: { exec: { ...exec, apiVersion: "v1" } } }),
      'exec.apiVersion: is "v1", not client.authentication.k8s.io/v1',
    ],
    [
      "exec without mode",
      kubeconfig({ user: { exec: { ...exec, interactiveMode: "" } } }),
      "exec.interactiveMode: is missing",
    ],
    [
      "exec of an unknown mode",
      kubeconfig({ user: { exec: { ...exec, interactiveMode: "Now" } } }),
      'interactiveMode: is "Now"',
    ],
    [
      "exec with a nameless variable",
      kubeconfig({ user: { exec: { ...exec, env: [{}] } } }),
      "exec.env[0].name: is missing",
    ],
    [
      "groups without a user",
      kubeconfig({ user: { "as-groups": ["a"] } }),
      "is missing: a uid, groups or extra cannot be assumed without a user",
    ],
  ];
  for (const [title, content, message] of cases) {
    test(title, async () => {
      const path = file("config", content);
      const error = await loadAccess({ kubeconfig: path, surroundings: nowhere() }).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(Error);
      expect((error as Error).name).toBe("ConfigError");
      expect((error as Error).message).toContain(message);
      expect((error as Error).message).toContain(path);
      expect(inspect(error)).not.toContain("hush");
    });
  }

  test("a file that is not there", async () => {
    await expect(loadAccess({ kubeconfig: join(folder, "none"), surroundings: nowhere() })).rejects.toThrow(
      /none: cannot be read: ENOENT/,
    );
  });

  test("a context that the caller named", async () => {
    const path = file("config", kubeconfig());
    await expect(loadAccess({ kubeconfig: path, context: "x", surroundings: nowhere() })).rejects.toThrow(
      `${path}: there is no context "x"; contexts in it: dev`,
    );
  });
});

describe("where the configuration comes from", () => {
  const server = async (surroundings: Surroundings, options: object = {}): Promise<string> =>
    (await loadAccess({ surroundings, ...options })).server.href;
  const named = (name: string): object => kubeconfig({ cluster: { server: `https://${name}` } });

  test("a named file beats KUBECONFIG, that beats the pod, that beats the home folder", async () => {
    const surroundings = nowhere({
      KUBECONFIG: file("env", named("env")),
      KUBERNETES_SERVICE_HOST: "10.0.0.1",
      KUBERNETES_SERVICE_PORT: "443",
    });
    mkdirSync(join(folder, "home", ".kube"), { recursive: true });
    file("home/.kube/config", named("home"));
    mkdirSync(join(folder, "service-account"));
    file("service-account/token", "t");
    file("service-account/namespace", "mine\n");
    expect(await server(surroundings, { kubeconfig: file("flag", named("flag")) })).toBe("https://flag/");
    expect(await server(surroundings)).toBe("https://env/");
    const { KUBECONFIG: _, ...env } = surroundings.env;
    expect(await loadAccess({ surroundings: { ...surroundings, env } })).toMatchObject({
      source: "in-cluster",
      namespace: "mine",
      tokenFile: join(folder, "service-account", "token"),
    });
    expect(await server({ ...surroundings, env: {} })).toBe("https://home/");
  });

  test("KUBECONFIG's files are merged: the first wins entirely, missing ones are passed over, paths belong to their file", async () => {
    mkdirSync(join(folder, "other"));
    const first = file("first", {
      clusters: [{ name: "local", cluster: { server: "https://first" } }],
      "current-context": "dev",
    });
    const second = file(
      "other/second",
      kubeconfig({ cluster: { "tls-server-name": "no" }, user: { tokenFile: "t" }, top: { "current-context": "x" } }),
    );
    const KUBECONFIG = [join(folder, "none"), first, second, first].join(delimiter);
    const access = await loadAccess({ surroundings: nowhere({ KUBECONFIG }) });
    expect(access.server.href).toBe("https://first/");
    expect(access.tlsServerName).toBeUndefined();
    expect(access.tokenFile).toBe(join(folder, "other", "t"));
  });

  test("master beats the file's server and needs none; its TLS name does not follow", async () => {
    const path = file("config", kubeconfig({ cluster: { "tls-server-name": "a" }, user: { token: "t" } }));
    const access = await loadAccess({ kubeconfig: path, master: "https://other:1", surroundings: nowhere() });
    expect([access.server.href, access.tlsServerName, access.token?.reveal()]).toEqual([
      "https://other:1/",
      undefined,
      "t",
    ]);
    expect(await server(nowhere(), { master: "http://localhost:8080" })).toBe("http://localhost:8080/");
    expect(await server(nowhere({ KUBERNETES_MASTER: "https://env" }))).toBe("https://env/");
  });

  test("without anything the error says where it was looked for", async () => {
    await expect(loadAccess({ surroundings: nowhere() })).rejects.toThrow(
      /no configuration: .*\.kube.config does not exist, this is no pod/,
    );
  });

  test("credentials are not sent to a server without TLS", async () => {
    const path = file("config", kubeconfig({ cluster: { server: "http://a" }, user: { token: "t" } }));
    expect((await loadAccess({ kubeconfig: path, surroundings: nowhere() })).token).toBeUndefined();
  });

  test("a cluster may switch compression off; unless it does, the transport decides", async () => {
    for (const [said, meant] of [
      [true, false],
      [false, undefined],
      [undefined, undefined],
    ]) {
      const path = file("config", kubeconfig({ cluster: { server: "https://a", "disable-compression": said } }));
      expect((await loadAccess({ kubeconfig: path, surroundings: nowhere() })).compression).toBe(meant);
    }
  });

  test("YAML is read as well, with the names that the caller chooses", async () => {
    const path = file(
      "config.yaml",
      [
        "contexts:",
        "- {name: a, context: {cluster: one, user: u, namespace: x}}",
        "- {name: b, context: {cluster: one, user: u}}",
        "clusters:",
        "- {name: one, cluster: {server: 'https://one'}}",
        "- {name: two, cluster: {server: 'https://two'}}",
        "users:",
        "- {name: u, user: {token: abc}}",
        "current-context: a",
      ].join("\n"),
    );
    const surroundings = nowhere();
    expect((await loadAccess({ kubeconfig: path, surroundings })).namespace).toBe("x");
    expect((await loadAccess({ kubeconfig: path, surroundings, context: "b" })).namespace).toBe("default");
    expect((await loadAccess({ kubeconfig: path, surroundings, cluster: "two" })).server.href).toBe("https://two/");
    expect((await loadAccess({ kubeconfig: path, surroundings, namespace: "y" })).namespace).toBe("y");
  });
});

test("nothing secret is printed", async () => {
  const secrets = { token: "hush-token", password: "hush-pass", "client-key-data": "aHVzaC1rZXk=" };
  const env = [{ name: "A", value: "hush-env" }];
  const loaded = await loadKubeconfig(
    file(
      "config",
      kubeconfig({ user: { ...secrets, exec: { ...exec, env } }, cluster: { "proxy-url": "http://u:hush-proxy@p" } }),
    ),
  );
  const access = await loadAccess({
    kubeconfig: file(
      "other",
      kubeconfig({ user: { token: "hush-token" }, cluster: { "proxy-url": "http://u:hush-proxy@p" } }),
    ),
    surroundings: nowhere(),
  });
  for (const value of [loaded, access, new Redacted("hush")]) {
    const shown = [
      inspect(value, { depth: 20, showHidden: true }),
      JSON.stringify(value),
      String(value),
      `${inspect(new Error("x", { cause: value }))}`,
    ];
    expect(shown.join()).not.toMatch(/hush|aHVzaC1rZXk/);
  }
});

test("what is written can be read again, by its owner only, and replaces what was there", async () => {
  const path = join(folder, "new", "config");
  const original = await loadKubeconfig(
    file(
      "config",
      kubeconfig({ user: { token: "t", as: "x", "as-groups": ["g"] }, cluster: { "proxy-url": "http://p" } }),
    ),
  );
  mkdirSync(join(folder, "new"));
  writeFileSync(path, "old");
  chmodSync(path, 0o644);
  await writeKubeconfig(path, original);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const strip = (config: typeof original): unknown =>
    JSON.parse(JSON.stringify(config, (key, value: unknown) => (key === "file" ? undefined : value)));
  const again = await loadKubeconfig(path);
  expect(strip(again)).toEqual(strip(original));
  expect(again.users[0]?.value.token?.reveal()).toBe("t");
});

test("impersonation becomes headers, one for each group, extra keys escaped", () => {
  const headers = impersonationHeaders({
    user: "u",
    uid: "1",
    groups: ["a", "b"],
    extra: { "Example.com/Scopes": ["x"] },
  });
  expect(headers).toEqual({
    "impersonate-user": "u",
    "impersonate-uid": "1",
    "impersonate-group": ["a", "b"],
    "impersonate-extra-example.com%2fscopes": ["x"],
  });
});

describe("the environment's proxy", () => {
  const env = { HTTPS_PROXY: "proxy:3128", NO_PROXY: "internal, .corp.test,10.0.0.0/8,exact.test:8443,*.wild.test" };
  const cases: readonly (readonly [server: string, proxied: boolean])[] = [
    ["https://example.test", true],
    ["http://example.test", false],
    ["https://localhost:1", false],
    ["https://127.0.0.2", false],
    ["https://[::1]:6443", false],
    ["https://internal", false],
    ["https://a.internal", false],
    ["https://notinternal", true],
    ["https://a.corp.test", false],
    ["https://corp.test", true],
    ["https://10.1.2.3", false],
    ["https://11.1.2.3", true],
    ["https://exact.test:8443", false],
    ["https://exact.test", true],
    ["https://a.wild.test", false],
  ];
  for (const [server, proxied] of cases) {
    test(`${server} is ${proxied ? "" : "not "}reached through it`, () => {
      expect(proxyFromEnvironment(new URL(server), env)?.href).toBe(proxied ? "http://proxy:3128/" : undefined);
    });
  }

  test("may be in lower case, and everything may be excepted", () => {
    const server = new URL("https://a");
    expect(proxyFromEnvironment(server, { https_proxy: "socks5://p:1" })?.href).toBe("socks5://p:1");
    expect(proxyFromEnvironment(server, { HTTPS_PROXY: "p", NO_PROXY: "*" })).toBeUndefined();
    expect(parseProxy("p:1").href).toBe("http://p:1/");
  });
});
