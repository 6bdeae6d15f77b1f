/** A real kube-apiserver with etcd on free loopback ports, from the binaries in KUBEBUILDER_ASSETS. */
import { generateKeyPairSync, randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { advertised } from "../apiserver/bootstrap/own-service.js";
import { type Clock, Lifetime, systemClock } from "../base/index.js";
import { type GuardedProcess, startGuarded } from "./guarded-process.js";

/** The facts by which a client talks to the cluster as its administrator. */
export interface EnvtestAccess {
  readonly url: string;
  /** A bearer token of the group system:masters. */
  readonly token: string;
  /** A bearer token of the user `nobody`, who has no permissions. */
  readonly powerlessToken: string;
  /** PEM. */
  readonly ca: string;
  readonly kubeconfig: string;
  /** Holds the service account key and the serving certificate, which a kube-controller-manager needs. */
  readonly directory: string;
}

export interface Envtest extends EnvtestAccess, AsyncDisposable {
  /** The process that runs now. */
  readonly apiserver: GuardedProcess;
  readonly etcd: GuardedProcess;
  /** Kills the kube-apiserver (SIGKILL) and starts another on the same port and the same etcd; resolves when it is ready. */
  restartApiserver(): Promise<void>;
  /** The same as disposing, for tests without `await using`. */
  close(): Promise<void>;
}

export interface EnvtestOptions {
  /** The folder with the binaries. */
  readonly assets: string;
  /** Further kube-apiserver flags. */
  readonly flags?: readonly string[];
  /** Admission plug-ins to switch off. ServiceAccount needs a controller manager that creates accounts. */
  readonly disableAdmission?: readonly string[];
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** Long enough for a busy machine with a cold disk. */
const startTimeoutMs = 150_000;
const probeTimeoutMs = 10_000;
/** Another process may take a port between the moments when it is found free and when it is used. */
const startAttempts = 3;

/** The folder with the binaries; undefined if there is none, and tests on the real server must be skipped. */
export function envtestAssets(): string | undefined {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  return assets && existsSync(join(assets, "kube-apiserver")) ? assets : undefined;
}

export async function startEnvtest(options: EnvtestOptions): Promise<Envtest> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (attempt === startAttempts || !(error instanceof EndedEarly)) throw error;
    }
  }
}

class EndedEarly extends Error {}

async function startOnce(options: EnvtestOptions): Promise<Envtest> {
  const clock = options.clock ?? systemClock;
  const lifetime = new Lifetime();
  try {
    const directory = await mkdtemp(join(tmpdir(), "coxswain-envtest-"));
    lifetime.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
    const [clientPort, peerPort, securePort] = await freePorts(3);
    const etcd = lifetime.use(startEtcd(options.assets, directory, clientPort, peerPort));
    const tokens = { token: randomUUID(), powerlessToken: randomUUID() };
    await writeCredentials(directory, tokens);
    const url = `https://127.0.0.1:${securePort}`;
    const startApiserver = (): GuardedProcess =>
      startGuarded(join(options.assets, "kube-apiserver"), {
        args: apiserverFlags(directory, clientPort, securePort, options),
        logFile: join(directory, "kube-apiserver.log"),
      });
    const ready = (): Promise<void> =>
      untilReady(url, tokens.token, { clock, processes: [etcd, apiserver], signal: options.signal });
    let apiserver = startApiserver();
    lifetime.defer(() => apiserver[Symbol.asyncDispose]());
    await ready();
    const ca = await readFile(join(directory, "apiserver.crt"), "utf8");
    const kubeconfig = join(directory, "kubeconfig");
    await writeFile(kubeconfig, kubeconfigText(url, ca, tokens.token), { mode: 0o600 });
    return {
      url,
      ...tokens,
      ca,
      kubeconfig,
      directory,
      get apiserver() {
        return apiserver;
      },
      etcd,
      async restartApiserver() {
        process.kill(await apiserver.pid(), "SIGKILL");
        await apiserver.exited;
        apiserver = startApiserver();
        await ready();
      },
      close: () => lifetime[Symbol.asyncDispose](),
      [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
    };
  } catch (error) {
    await lifetime[Symbol.asyncDispose]();
    throw error;
  }
}

function startEtcd(assets: string, directory: string, clientPort: number, peerPort: number): GuardedProcess {
  const peer = `http://127.0.0.1:${peerPort}`;
  const client = `http://127.0.0.1:${clientPort}`;
  return startGuarded(join(assets, "etcd"), {
    args: [
      `--data-dir=${join(directory, "etcd")}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      "--unsafe-no-fsync",
      "--log-level=warn",
    ],
    logFile: join(directory, "etcd.log"),
  });
}

async function writeCredentials(
  directory: string,
  tokens: Pick<EnvtestAccess, "token" | "powerlessToken">,
): Promise<void> {
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(join(directory, "sa.key"), key.privateKey.export({ type: "sec1", format: "pem" }), { mode: 0o600 });
  await writeFile(join(directory, "sa.pub"), key.publicKey.export({ type: "spki", format: "pem" }));
  const users = [`${tokens.token},admin,admin-uid,"system:masters"`, `${tokens.powerlessToken},nobody,nobody-uid`];
  await writeFile(join(directory, "tokens.csv"), `${users.join("\n")}\n`, { mode: 0o600 });
}

function apiserverFlags(
  directory: string,
  etcdPort: number,
  securePort: number,
  options: EnvtestOptions,
): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    "--bind-address=127.0.0.1",
    // by default the server needs a default route, which a machine without a network lacks; 192.0.2.1 is reserved for
    // documentation (RFC 5737)
    `--advertise-address=${advertised("127.0.0.1") ?? "192.0.2.1"}`,
    `--secure-port=${securePort}`,
    `--cert-dir=${directory}`,
    `--token-auth-file=${join(directory, "tokens.csv")}`,
    `--service-account-key-file=${join(directory, "sa.pub")}`,
    `--service-account-signing-key-file=${join(directory, "sa.key")}`,
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    "--service-cluster-ip-range=10.0.0.0/16",
    // a configuration file takes the place of modes
    ...(options.flags?.some((flag) => flag.startsWith("--authorization-config")) ? [] : ["--authorization-mode=RBAC"]),
    "--allow-privileged=true",
    `--disable-admission-plugins=${(options.disableAdmission ?? ["ServiceAccount"]).join(",")}`,
    ...(options.flags ?? []),
  ];
}

interface ReadyOptions {
  readonly clock: Clock;
  readonly processes: readonly GuardedProcess[];
  readonly signal: AbortSignal | undefined;
}

async function untilReady(url: string, token: string, { clock, processes, signal }: ReadyOptions): Promise<void> {
  const deadline = clock.monotonic() + startTimeoutMs;
  let ended = false;
  for (const process of processes) void process.exited.then(() => (ended = true));
  while (!(await isReady(url, token))) {
    const why = processes.map((process) => process.tail()).join("\n");
    if (ended) throw new EndedEarly(`a process of the real control plane ended while starting:\n${why}`);
    if (clock.monotonic() > deadline) throw new Error(`the real kube-apiserver is not ready in time:\n${why}`);
    await clock.sleep(100, signal ?? new AbortController().signal);
  }
}

function isReady(url: string, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request(
      `${url}/readyz`,
      // the server makes its serving certificate itself, so it is unknown before the server is ready
      {
        rejectUnauthorized: false,
        agent: false,
        timeout: probeTimeoutMs,
        headers: { authorization: `Bearer ${token}` },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    probe.on("error", () => resolve(false));
    probe.on("timeout", () => probe.destroy());
    probe.end();
  });
}

function kubeconfigText(server: string, ca: string, token: string): string {
  return JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "envtest",
      clusters: [
        { name: "envtest", cluster: { server, "certificate-authority-data": Buffer.from(ca).toString("base64") } },
      ],
      users: [{ name: "admin", user: { token } }],
      contexts: [{ name: "envtest", context: { cluster: "envtest", user: "admin" } }],
    },
    undefined,
    2,
  );
}

/** Below the ranges that systems use for outgoing connections, whose ports may be taken at any moment. */
const ports = { from: 10_000, to: 30_000 } as const;

/** All are held open until the last is found, so that no two are the same. */
async function freePorts(count: 3): Promise<[number, number, number]>;
async function freePorts(count: number): Promise<number[]> {
  const servers = new Map<number, ReturnType<typeof createServer>>();
  while (servers.size < count) {
    const port = randomInt(ports.from, ports.to);
    const server = createServer();
    server.listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (isFree) servers.set(port, server);
  }
  for (const server of servers.values()) {
    server.close();
    await once(server, "close");
  }
  return [...servers.keys()];
}
