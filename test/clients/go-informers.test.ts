/** client-go's shared informers, at their defaults (protobuf, streaming lists, HTTP/2), on the embedded server. */
import { execFile, spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { startTestServer } from "../../src/testing/cluster.js";
import { patienceMs } from "../eventually.js";

const source = join(import.meta.dirname, "go-informers");
const program = join(import.meta.dirname, "..", "..", ".cache", "go-informers");

/** Undefined if it can be built; else why not. Its modules may have to be fetched, and there may be no network. */
async function whyNotBuilt(): Promise<string | undefined> {
  await mkdir(join(program, ".."), { recursive: true });
  try {
    await promisify(execFile)("go", ["build", "-o", program, "."], { cwd: source, timeout: buildTimeoutMs });
    return undefined;
  } catch (error) {
    return `go build: ${(error as Error).message.slice(0, 300)}`;
  }
}

const buildTimeoutMs = 480_000;

interface Line {
  readonly asked?: string;
  readonly watch?: boolean;
  readonly streamed?: boolean;
  readonly status?: number;
  readonly type?: string;
  readonly protocol?: string;
  readonly kind?: string;
  readonly event?: string;
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly synced?: Readonly<Record<string, number>>;
}

const hasGo = spawnSync("go", ["version"]).status === 0;

describe.skipIf(!hasGo)("shared informers of client-go (skipped where there is no Go)", () => {
  test("sync by streamed lists in protobuf and follow every change", { timeout: 600_000 }, async ({ skip }) => {
    const missing = await whyNotBuilt();
    skip(missing !== undefined, missing);
    await using server = await startTestServer();
    const listener = await server.listen();
    const send = async (method: string, path: string, body?: object): Promise<number> => {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
      const request = { method, path, headers: { "content-type": type }, ...sent };
      return (await server.transport()(request, new AbortController().signal)).status;
    };
    const core = "/api/v1/namespaces/default";
    const object = (apiVersion: string, kind: string, name: string, rest: object = {}): object => ({
      apiVersion,
      kind,
      metadata: { name },
      ...rest,
    });
    const spec = { containers: [{ name: "c", image: "i" }] };
    for (let i = 0; i < 20; i++) await send("POST", `${core}/configmaps`, object("v1", "ConfigMap", `before-${i}`));
    await send("POST", `${core}/pods`, object("v1", "Pod", "p", { spec }));

    const directory = await mkdtemp(join(tmpdir(), "coxswain-informers-"));
    const kubeconfig = join(directory, "kubeconfig");
    await writeFile(kubeconfig, listener.kubeconfig, { mode: 0o600 });
    const child = spawn(program, [kubeconfig], { stdio: ["pipe", "pipe", "inherit"] });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    const lines: Line[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line) as Line));
    try {
      const seen = (kind: string, event: string): readonly (string | undefined)[] =>
        lines.filter((line) => line.kind === kind && line.event === event).map(({ name }) => name);
      await expect
        .poll(() => lines.find(({ synced }) => synced)?.synced, { timeout: patienceMs })
        .toEqual({
          Pod: 1,
          ConfigMap: 20,
          Service: 1,
          Namespace: 4,
          Deployment: 0,
          Lease: 0,
          EndpointSlice: 0,
        });
      expect(seen("ConfigMap", "initial")).toHaveLength(20);
      await send("POST", `${core}/configmaps`, object("v1", "ConfigMap", "after"));
      await send("PATCH", `${core}/configmaps/before-3`, { metadata: { labels: { seen: "yes" } } });
      await send("DELETE", `${core}/configmaps/before-4`);
      const selector = { matchLabels: { app: "x" } };
      const template = { metadata: { labels: { app: "x" } }, spec };
      const deployment = object("apps/v1", "Deployment", "d", { spec: { selector, template } });
      await send("POST", "/apis/apps/v1/namespaces/default/deployments", deployment);
      await send("PATCH", "/apis/apps/v1/namespaces/default/deployments/d/scale", { spec: { replicas: 3 } });
      await send("DELETE", `${core}/pods/p?gracePeriodSeconds=0`);
      // each kind comes in its own time
      const told = (kind: string, event: string, ...names: readonly string[]): Promise<void> =>
        expect.poll(() => seen(kind, event), { timeout: patienceMs }).toEqual(names);
      await told("Pod", "delete", "default/p");
      await told("Deployment", "update", "default/d");
      await told("ConfigMap", "delete", "default/before-4");
      await told("ConfigMap", "add", "default/after");
      expect(lines.find(({ kind, event }) => kind === "ConfigMap" && event === "update")).toMatchObject({
        name: "default/before-3",
        labels: { seen: "yes" },
      });
      const asked = lines.filter((line) => line.asked !== undefined);
      expect(new Set(asked.map(({ asked: path }) => path)).size).toBe(7);
      // one request for each kind: the list came in the watch, and nothing was asked again
      expect(asked).toHaveLength(7);
      for (const line of asked) {
        expect(line).toMatchObject({
          watch: true,
          streamed: true,
          status: 200,
          type: "application/vnd.kubernetes.protobuf;stream=watch",
          protocol: "HTTP/2.0",
        });
      }
    } finally {
      child.stdin.end();
      expect(await ended).toBe(0);
      await rm(directory, { recursive: true, force: true });
    }
  });
});
