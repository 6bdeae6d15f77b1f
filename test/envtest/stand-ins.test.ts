import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Lifetime, systemClock } from "../../src/base/index.js";
import { createAuthority } from "../../src/base/x509/certificate.js";
import { envtestFolder } from "../../src/cli/envtest/assets.js";
import { type Envtest, envtestAssets, startEnvtest } from "../../src/testing/index.js";
import type { Json } from "../ask.js";
import { eventually } from "../eventually.js";

const main = resolve("dist/cli/main.js");
const command = [process.execPath, main];
/** The programs run the built command line. */
const built = existsSync(main);
let parent: string;
let ours: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "coxswain-assets-"));
  ours = await envtestFolder({ command, version: "0.0.0", parent });
});
afterAll(() => rm(parent, { recursive: true, force: true }));

interface Credentials {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
}

interface Answer {
  readonly code: number | undefined;
  readonly body: Json;
}

interface Question extends Credentials {
  readonly ca?: string;
  readonly body?: object;
  /** POST with a body and GET without one, unless given. */
  readonly method?: string;
}

function ask(url: string, how: Question = {}): Promise<Answer> {
  const { token, body, method = body === undefined ? "GET" : "POST", ...tls } = how;
  const headers = {
    "content-type": "application/json",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return new Promise((done, failed) => {
    const request = url.startsWith("https:") ? secureRequest : plainRequest;
    const options = { ...tls, headers, agent: false as const, method };
    const sent = request(url, options, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () =>
        done({ code: response.statusCode, body: text.startsWith("{") ? JSON.parse(text) : text }),
      );
    });
    sent.on("error", failed);
    sent.end(body && JSON.stringify(body));
  });
}

const real = envtestAssets();

test("the script keeps the program small, and what the user says of its memory counts more", async () => {
  const around = ["/bin/sh", "-c", 'echo "$NODE_OPTIONS, $MALLOC_ARENA_MAX, $NODE_COMPILE_CACHE"'];
  const folder = await envtestFolder({ command: around, version: "0.0.1", parent });
  const said = (env: NodeJS.ProcessEnv): string =>
    execFileSync(join(folder, "etcd"), [], { encoding: "utf8", env: { PATH: process.env["PATH"], ...env } }).trim();
  expect(said({})).toBe(`--max-semi-space-size=1 , 1, ${join(folder, "compiled")}`);
  expect(said({ NODE_OPTIONS: "--max-semi-space-size=64", MALLOC_ARENA_MAX: "4" })).toBe(
    `--max-semi-space-size=1 --max-semi-space-size=64, 4, ${join(folder, "compiled")}`,
  );
});

describe
  .skipIf(!built)
  .each([
    ["our programs (skipped until there is a build in dist)", () => ours],
    ...(real === undefined ? [] : ([["the real programs", () => real]] as const)),
  ] as const)("%s", (_, assets) => {
  const ca = createAuthority({ commonName: "clients", now: systemClock.now() });
  let cluster: Envtest;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "coxswain-suite-"));
    const file = join(folder, "clients.crt");
    await writeFile(file, ca.certificate);
    const flags = [`--client-ca-file=${file}`, "--feature-gates=AllAlpha=false", "--runtime-config", "api/all=true"];
    cluster = await startEnvtest({ assets: assets(), flags });
  }, 180_000);
  afterAll(async () => {
    await cluster.close();
    await rm(folder, { recursive: true });
  });

  const get = (path: string, who: Credentials = {}): Promise<Answer> =>
    ask(cluster.url + path, { ca: cluster.ca, ...who });
  const post = (path: string, body: object, who: Credentials = { token: cluster.token }): Promise<Answer> =>
    ask(cluster.url + path, { ca: cluster.ca, body, ...who });
  const self = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const user = async (who: Credentials): Promise<Json> => (await post(self, {}, who)).body.status.userInfo;

  test("know the users of the token file, and let each do what its roles permit", async () => {
    expect(await user({ token: cluster.token })).toMatchObject({
      username: "admin",
      uid: "admin-uid",
      groups: ["system:masters", "system:authenticated"],
    });
    expect((await get("/api/v1/pods", { token: cluster.token })).code).toBe(200);
    expect(await get("/api/v1/pods", { token: cluster.powerlessToken })).toMatchObject({
      code: 403,
      body: {
        message: 'pods is forbidden: User "nobody" cannot list resource "pods" in API group "" at the cluster scope',
      },
    });
  });

  test("know the users of certificates that the suite has signed, and refuse certificates of others", async () => {
    const client = (commonName: string, organizations: readonly string[], by = ca): Credentials => {
      const { key, certificate } = by.issue({ commonName, organizations, use: "client" });
      return { key, cert: certificate };
    };
    expect(await user(client("ann", ["system:masters", "team"]))).toMatchObject({
      username: "ann",
      groups: ["system:masters", "team", "system:authenticated"],
    });
    expect((await get("/api/v1/pods", client("ann", ["system:masters"]))).code).toBe(200);
    expect((await get("/api/v1/pods", client("bob", []))).code).toBe(403);
    const stranger = createAuthority({ commonName: "clients", now: systemClock.now() });
    expect((await get("/api/v1/pods", client("ann", ["system:masters"], stranger))).code).toBe(401);
  });

  test("take a request without credentials for an anonymous user's, who may read the version", async () => {
    expect((await get("/version")).code).toBe(200);
    expect((await get("/readyz")).body).toBe("ok");
    expect(await get("/api/v1/namespaces/default/pods")).toMatchObject({
      code: 403,
      body: {
        message:
          'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "default"',
      },
    });
    expect((await get("/version", { token: "wrong" })).code).toBe(401);
    await post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "strangers" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:unauthenticated" }],
    });
    const made = (): Promise<Answer> =>
      post("/api/v1/namespaces/default/configmaps", { metadata: { generateName: "a-" } }, {});
    await eventually("strangers may write", async () => (await made()).code === 201);
  });

  test("sign tokens of service accounts with the suite's key, for the suite's issuer", async () => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await post(accounts, { metadata: { name: "robot" } });
    const { body } = await post(`${accounts}/robot/token`, { spec: {} });
    const [head = "", claims = ""] = body.status.token.split(".");
    const read = (part: string): Json => JSON.parse(Buffer.from(part, "base64url").toString());
    expect(read(claims)).toMatchObject({
      iss: "https://kubernetes.default.svc.cluster.local",
      aud: [read(claims).iss],
    });
    expect(await user({ token: body.status.token })).toMatchObject({
      username: "system:serviceaccount:default:robot",
    });
    const { keys } = (await get("/openid/v1/jwks", { token: cluster.token })).body;
    expect(keys).toEqual([
      {
        use: "sig",
        kty: "EC",
        kid: read(head).kid,
        crv: "P-256",
        alg: "ES256",
        x: expect.any(String),
        y: expect.any(String),
      },
    ]);
  });

  test("take the range of service addresses from the flags", async () => {
    const { body } = await get("/api/v1/namespaces/default/services/kubernetes", { token: cluster.token });
    expect(body.spec.clusterIP).toBe("10.0.0.1");
  });

  test("have etcd's answer to a health check", async () => {
    const etcd = await etcdOf(cluster);
    expect(await ask(`${etcd}/health`)).toEqual({ code: 200, body: { health: "true", reason: "" } });
    expect((await ask(`${etcd}/readyz`)).code).toBe(200);
    expect(await ask(`${etcd}/v3/maintenance/status`, { body: {} })).toMatchObject({
      code: 200,
      body: { version: expect.stringMatching(/^3\.6\./), leader: expect.any(String) },
    });
  });
});

/** The etcd stand-in of a cluster does not say where it is; its arguments do. */
async function etcdOf({ etcd }: Envtest): Promise<string> {
  const args = (await readFile(`/proc/${await etcd.pid()}/cmdline`, "utf8")).split("\0");
  return args.find((one) => one.startsWith("--listen-client-urls="))?.split("=")[1] ?? "";
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, "close");
  return port;
}

const answers = (url: string): Promise<boolean> =>
  ask(`${url}/health`).then(
    ({ code }) => code === 200,
    () => false,
  );

test.skipIf(!built)(
  "with controllers, a namespace goes away (skipped until there is a build in dist)",
  async () => {
    await using cluster = await startEnvtest({ assets: ours, flags: ["--controllers=*"] });
    const { ca, token } = cluster;
    const path = `${cluster.url}/api/v1/namespaces`;
    await ask(path, { ca, token, body: { metadata: { name: "short" } } });
    await ask(`${path}/short/configmaps`, { ca, token, body: { metadata: { name: "inside" } } });
    expect(await ask(`${path}/short`, { ca, token, method: "DELETE" })).toMatchObject({ code: 200 });
    await eventually("it is gone", async () => (await ask(`${path}/short`, { ca, token })).code === 404);
  },
  180_000,
);

describe.skipIf(!built)("a stand-in (skipped until there is a build in dist)", () => {
  async function start(lifetime: Lifetime, ...shell: readonly string[]): Promise<{ url: string; child: ChildProcess }> {
    const url = `http://127.0.0.1:${await freePort()}`;
    const args = [`--listen-client-urls=${url}`, "--no-such-flag=1"];
    const [program = join(ours, "etcd"), ...more] = shell;
    const child = spawn(program, [...more, ...args], { stdio: ["ignore", "ignore", "pipe"] });
    lifetime.defer(() => void child.kill("SIGKILL"));
    await eventually("it answers", () => answers(url));
    return { url, child };
  }

  test.each(["SIGTERM", "SIGINT"] as const)(
    "ends well on %s, and has named the flags that it does not know",
    async (how) => {
      await using lifetime = new Lifetime();
      const { child } = await start(lifetime);
      let printed = "";
      child.stderr?.on("data", (chunk) => (printed += chunk));
      const ended = once(child, "close");
      child.kill(how);
      expect((await ended)[0]).toBe(0);
      expect(printed).toBe("coxswain etcd: not known, and ignored: --no-such-flag\n");
    },
  );

  test("ends when the process that started it is killed", async () => {
    await using lifetime = new Lifetime();
    const script = '"$0" "$@" & wait';
    const { url, child } = await start(lifetime, "sh", "-c", script, join(ours, "etcd"));
    child.kill("SIGKILL");
    await eventually("it is gone", async () => !(await answers(url)));
    expect(await answers(url)).toBe(false);
  });
});

describe("the folder", () => {
  test("is the same for several callers at once, and is mended if a program was changed", async () => {
    const options = { command, version: "1.2.3", parent };
    const folders = new Set(await Promise.all(Array.from({ length: 8 }, () => envtestFolder(options))));
    expect(folders.size).toBe(1);
    const [folder = ""] = folders;
    expect((await readdir(folder)).toSorted()).toEqual(["etcd", "kube-apiserver", "kubectl"]);
    const before = await readFile(join(folder, "etcd"), "utf8");
    await chmod(join(folder, "etcd"), 0o700);
    await writeFile(join(folder, "etcd"), "broken");
    await envtestFolder(options);
    expect(await readFile(join(folder, "etcd"), "utf8")).toBe(before);
    expect(await envtestFolder({ ...options, command: ["/elsewhere/coxswain"] })).not.toBe(folder);
  });

  test("has programs that list their flags at once, as suites ask before a start", async () => {
    const help = async (program: string): Promise<string> => {
      const child = spawn(join(ours, program), ["--help"], { stdio: ["ignore", "pipe", "inherit"] });
      let text = "";
      for await (const chunk of child.stdout) text += chunk;
      return text;
    };
    expect(await help("etcd")).toMatch(/^\s*--unsafe-no-fsync\b/m);
    const apiserver = await help("kube-apiserver");
    expect(apiserver).toMatch(/^\s*--authorization-mode\b/m);
    expect(apiserver).not.toMatch(/^\s*--insecure-port\b/m);
  });

  test("has a kubectl that says what it cannot do where no other is installed", async () => {
    const child = spawn(join(ours, "kubectl"), ["get", "pods"], {
      env: { PATH: "/bin:/usr/bin", COXSWAIN_KUBECTL: "1" },
    });
    let text = "";
    for await (const chunk of child.stderr) text += chunk;
    expect(text).toContain("can run none of its commands (get pods)");
  });
});
