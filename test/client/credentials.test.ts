import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Pod } from "../../src/api/index.js";
import { createAuthority } from "../../src/base/x509/certificate.js";
import { FakeClock, Lifetime, systemClock } from "../../src/base/index.js";
import { type Client, connect, type ConnectOptions, isConnectionFailure } from "../../src/client/index.js";
import { sharedExecCredentials } from "../../src/client/config/exec-plugin.js";
import { eventually } from "../eventually.js";
import { authority, failure, type H2Options, type H2Serving, json, pod, serveH2, serveProxy } from "./servers.js";

let folder = "";
let lifetime = new Lifetime();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "coxswain-credentials-"));
  lifetime = new Lifetime();
});
afterEach(async () => {
  await lifetime[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** The parts of each request that the server saw. */
interface Seen {
  readonly authorization: unknown;
  readonly subject: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Accepts requests that `accepts`; 401 for the others. */
async function server(
  accepts: (seen: Seen) => boolean,
  options: H2Options = {},
): Promise<H2Serving & { seen: Seen[] }> {
  const seen: Seen[] = [];
  const serving = await serveH2((stream, headers) => {
    const socket = stream.session?.socket as unknown as { getPeerCertificate(): { subject?: { CN: string } } };
    const one = { authorization: headers["authorization"], subject: socket.getPeerCertificate().subject?.CN, headers };
    seen.push(one);
    if (accepts(one)) json(stream, pod("a"));
    else json(stream, failure(401, "Unauthorized"), 401);
  }, options);
  return lifetime.use({ ...serving, seen });
}

const path = (name: string): string => join(folder, name);

async function connected(
  url: string,
  user: object,
  options: ConnectOptions & { cluster?: never; more?: object } = {},
): Promise<Client> {
  const ca = Buffer.from(authority.certificate).toString("base64");
  const { more, ...rest } = options;
  const kubeconfig = {
    "current-context": "c",
    clusters: [{ name: "c", cluster: { server: url, "certificate-authority-data": ca, ...more } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  };
  writeFileSync(path("config"), JSON.stringify(kubeconfig));
  return lifetime.use(await connect({ kubeconfig: path("config"), ...rest }));
}

const get = (client: Client): Promise<Pod> => client.resource(Pod, { namespace: "default" }).get("a");

describe("tokens", () => {
  test("a token file is read again after a minute, and at once when the server refuses", async () => {
    let valid = "Bearer one";
    const { url, seen } = await server(({ authorization }) => authorization === valid);
    const clock = new FakeClock();
    writeFileSync(path("token"), "one\n");
    const client = await connected(url, { tokenFile: "token" }, { clock });
    await get(client);
    writeFileSync(path("token"), "two\n");
    await get(client);
    await clock.advance(60_000);
    valid = "Bearer two";
    await get(client);
    writeFileSync(path("token"), "three\n");
    valid = "Bearer three";
    await get(client);
    expect(seen.map(({ authorization }) => authorization)).toEqual([
      "Bearer one",
      "Bearer one",
      "Bearer two",
      "Bearer two",
      "Bearer three",
    ]);
  });

  test("a token file that vanishes leaves the old token in force; one that never was is an error", async () => {
    const { url } = await server(() => true);
    const clock = new FakeClock();
    writeFileSync(path("token"), "one");
    const client = await connected(url, { tokenFile: "token" }, { clock });
    await get(client);
    rmSync(path("token"));
    await clock.advance(60_000);
    await get(client);
    const other = await connected(url, { tokenFile: "none" });
    await expect(get(other)).rejects.toThrow(/get pods default\/a: the token file .*none cannot be read: ENOENT/);
  });

  test("a refused token is the server's 401, sent once, and is nowhere printed", async () => {
    const { url, seen } = await server(() => false);
    const client = await connected(url, { token: "hush" });
    const error = await get(client).catch((caught: unknown) => caught);
    expect((error as Error).message).toBe("get pods default/a: Unauthorized (401 Unauthorized)");
    expect(seen.length).toBe(1);
    expect(inspect([error, client], { depth: 20, showHidden: true })).not.toContain("hush");
  });

  test("basic credentials and impersonation are sent with each request", async () => {
    const { url, seen } = await server(() => true);
    const impersonate = { user: "jane", groups: ["dev", "ops"], extra: { scopes: ["a"] } };
    const client = await connected(url, { username: "me", password: "pw" }, { impersonate });
    await get(client);
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from("me:pw").toString("base64")}`,
      "impersonate-user": "jane",
      "impersonate-group": "dev, ops",
      "impersonate-extra-scopes": "a",
    });
  });
});

describe("client certificates", () => {
  const issue = (name: string): void => {
    const { key, certificate } = authority.issue({ commonName: name, use: "client" });
    writeFileSync(path("cert.pem"), certificate);
    writeFileSync(path("key.pem"), key);
  };
  const user = { "client-certificate": "cert.pem", "client-key": "key.pem" };

  test("rotated files are used within a minute, on new connections; half a rotation changes nothing", async () => {
    const { url, seen } = await server(() => true, { mutual: true });
    const clock = new FakeClock();
    issue("before");
    const client = await connected(url, user, { clock });
    await get(client);
    const half = authority.issue({ commonName: "half", use: "client" });
    writeFileSync(path("cert.pem"), half.certificate);
    await clock.advance(61_000);
    await get(client);
    await get(client);
    issue("after");
    await clock.advance(61_000);
    await get(client);
    // the files are looked at beside that request; a moment later the next one is on the new connection
    const latest = async (): Promise<string | undefined> => {
      await get(client);
      return seen.at(-1)?.subject;
    };
    await expect.poll(latest, { timeout: 60_000 }).toBe("after");
    expect([seen[0]?.subject, seen[2]?.subject]).toEqual(["before", "before"]);
  });

  test("what is wrong with them is said, with the file", async () => {
    const { url } = await server(() => true, { mutual: true });
    await expect(get(await connected(url, user))).rejects.toThrow(
      /the client certificate cannot be read: ENOENT.*cert\.pem/,
    );
    issue("a");
    writeFileSync(path("key.pem"), "garbage");
    await expect(get(await connected(url, user))).rejects.toThrow(/the client key .*key\.pem holds no PEM block/);
    writeFileSync(path("key.pem"), authority.issue({ commonName: "b", use: "client" }).key);
    await expect(get(await connected(url, user))).rejects.toThrow(
      /the client certificate and key together: .*mismatch/,
    );
  });

  test("one that makes the server hang up without a word is suspected", async () => {
    const stranger = createAuthority({ commonName: "stranger", now: systemClock.now() });
    const { url } = await server(() => true, { mutual: true });
    const { key, certificate } = stranger.issue({ commonName: "x", use: "client" });
    writeFileSync(path("cert.pem"), certificate);
    writeFileSync(path("key.pem"), key);
    const client = await connected(url, user, { retry: { whenDisconnected: 0 } });
    await expect(get(client)).rejects.toThrow("perhaps it refuses the client's certificate");
  });
});

describe("exec plug-ins", () => {
  /** A program that logs its input and prints the content of a file. */
  function plugin(answer: object | string, version = "v1"): object {
    const script = path("plugin.mjs");
    writeFileSync(
      script,
      `#!${process.execPath}
import { appendFileSync, readFileSync } from "node:fs";
appendFileSync(${JSON.stringify(path("calls"))}, process.env.KUBERNETES_EXEC_INFO + " " + process.env.EXTRA + "\\n");
process.stdout.write(readFileSync(${JSON.stringify(path("answer"))}, "utf8"));
`,
    );
    chmodSync(script, 0o755);
    answerWith(answer, version);
    return {
      exec: {
        apiVersion: `client.authentication.k8s.io/${version}`,
        command: "./plugin.mjs",
        env: [{ name: "EXTRA", value: "extra" }],
        ...(version === "v1" ? { interactiveMode: "Never" } : {}),
        provideClusterInfo: true,
      },
    };
  }
  function answerWith(status: object | string, version = "v1"): void {
    const whole = { kind: "ExecCredential", apiVersion: `client.authentication.k8s.io/${version}`, status };
    writeFileSync(path("answer"), typeof status === "string" ? status : JSON.stringify(whole));
  }
  const calls = (): string[] => readFileSync(path("calls"), "utf8").trim().split("\n");

  for (const version of ["v1", "v1beta1"]) {
    test(`${version}: runs once for all requests, and is told about the cluster`, async () => {
      const { url, seen } = await server(({ authorization }) => authorization === "Bearer one");
      const config = { extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "x" } }] };
      const client = await connected(url, plugin({ token: "one" }, version), { more: config });
      await Promise.all([get(client), get(client), get(client)]);
      await get(client);
      expect(seen.length).toBe(4);
      expect(calls().length).toBe(1);
      const [info = "", extra] = (calls()[0] ?? "").split(" ");
      expect(extra).toBe("extra");
      expect(JSON.parse(info)).toMatchObject({
        kind: "ExecCredential",
        apiVersion: `client.authentication.k8s.io/${version}`,
        spec: { interactive: false, cluster: { server: url, config: { audience: "x" } } },
      });
    });
  }

  test("runs once for all clients that are configured alike, also when the server refuses its credential", async () => {
    let valid = "Bearer one";
    const { url } = await server(({ authorization }) => authorization === valid);
    const user = plugin({ token: "one" });
    const clients = [await connected(url, user), await connected(url, user)];
    await Promise.all(clients.map(get));
    expect(calls().length).toBe(1);
    answerWith({ token: "two" });
    valid = "Bearer two";
    await Promise.all(clients.map(get));
    expect(calls().length).toBe(2);
    const other = { exec: { ...(user as { exec: object }).exec, env: [{ name: "EXTRA", value: "other" }] } };
    await get(await connected(url, other));
    expect(calls().map((call) => call.split(" ").at(-1))).toEqual(["extra", "extra", "other"]);
  });

  test("is run again when its credential expires, and when the server refuses it", async () => {
    let valid = "Bearer one";
    const { url } = await server(({ authorization }) => authorization === valid);
    const clock = new FakeClock({ startMs: Date.parse("2030-01-01T00:00:00Z") });
    const expiring = (token: string): object => ({ token, expirationTimestamp: "2030-01-01T01:00:00Z" });
    const client = await connected(url, plugin(expiring("one")), { clock });
    await get(client);
    await clock.advance(30 * 60_000);
    await get(client);
    expect(calls().length).toBe(1);
    await clock.advance(31 * 60_000);
    answerWith({ token: "two" });
    valid = "Bearer two";
    await get(client);
    expect(calls().length).toBe(2);
    answerWith({ token: "three" });
    valid = "Bearer three";
    await get(client);
    expect(calls().length).toBe(3);
  });

  test("may give a certificate; a new one is used on a new connection", async () => {
    let valid = "one";
    const { url, seen } = await server(({ subject }) => subject === valid, { mutual: true });
    const status = (name: string): object => {
      const { key, certificate } = authority.issue({ commonName: name, use: "client" });
      return { clientCertificateData: certificate, clientKeyData: key };
    };
    const client = await connected(url, plugin(status("one")));
    await get(client);
    answerWith(status("two"));
    valid = "two";
    await get(client);
    expect(seen.map(({ subject }) => subject)).toEqual(["one", "one", "two"]);
  });

  const wrong: readonly (readonly [title: string, answer: object | string, message: string])[] = [
    ["that prints no JSON", "hush", "its output is not JSON"],
    ["that prints without end", "hush".repeat(500_000), "its output has more than 1048576 characters"],
    ["that prints something else", '{"kind":"Pod"}', "its output is not an ExecCredential"],
    ["that gives nothing", {}, "its output has neither a token nor a certificate"],
    ["that gives half a pair", { clientKeyData: "hush" }, "its output has only one of certificate and key"],
    ["with a strange expiry", { token: "hush", expirationTimestamp: "soon" }, "its expirationTimestamp is not a time"],
  ];
  for (const [title, answer, message] of wrong) {
    test(`one ${title} is named, without its output`, async () => {
      const { url } = await server(() => true);
      const error = await get(await connected(url, plugin(answer))).catch((caught: unknown) => caught);
      expect((error as Error).message).toContain(`plugin.mjs: ${message}`);
      expect(isConnectionFailure(error, "credentials")).toBe(true);
      expect(inspect(error)).not.toContain("hush");
    });
  }

  test("one that does not end is ended after a minute, and so is the wait for what it has started", async () => {
    const script = path("stuck.mjs");
    const started = path("started");
    // its child inherits the output and lives on for a while
    writeFileSync(
      script,
      `#!${process.execPath}
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: ["ignore", "inherit", "inherit"] });
writeFileSync(${JSON.stringify(started)}, String(child.pid));
setInterval(() => {}, 1000);
`,
    );
    chmodSync(script, 0o755);
    const clock = new FakeClock();
    const apiVersion = "client.authentication.k8s.io/v1";
    const credentials = sharedExecCredentials({
      plugin: { apiVersion, command: script, interactiveMode: "Never" },
      clock,
      env: process.env,
    });
    const current = credentials.current();
    const refused = expect(current).rejects.toThrow("stuck.mjs: it has not ended within 60000 ms");
    await eventually("it runs", () => existsSync(started) && /^\d+$/.test(readFileSync(started, "utf8")));
    await clock.advance(60_000);
    await refused;
    process.kill(Number(readFileSync(started, "utf8")));
  });

  test("one that answers in another version, fails, or is not installed is named", async () => {
    const { url } = await server(() => true);
    const user = plugin({ token: "a" });
    answerWith({ token: "a" }, "v1beta1");
    await expect(get(await connected(url, user))).rejects.toThrow(
      "it answered in client.authentication.k8s.io/v1beta1",
    );
    rmSync(path("answer"));
    await expect(get(await connected(url, user))).rejects.toThrow(/it ended with code 1: .*ENOENT/s);
    const missing = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "no-such-login",
      interactiveMode: "Never",
      installHint: "brew install it",
    };
    await expect(get(await connected(url, { exec: missing }))).rejects.toThrow(
      // the latter where a folder of the PATH may not be looked into
      /no-such-login: it cannot be run: .*(?:ENOENT|EACCES)\nbrew install it/,
    );
    const person = { ...missing, interactiveMode: "Always" };
    await expect(get(await connected(url, { exec: person }))).rejects.toThrow("it needs a terminal");
  });
});

test("the cluster's proxy-url is used, and beats the environment", async () => {
  const { url } = await server(() => true);
  const proxy = lifetime.use(await serveProxy());
  const surroundings = { env: { HTTPS_PROXY: "http://127.0.0.1:1" }, home: folder, serviceAccount: folder };
  await get(await connected(url, {}, { more: { "proxy-url": proxy.url }, surroundings }));
  expect(proxy.asked.length).toBe(1);
});
