/** Simulated nodes serve their kubelet ports, behind the embedded server and behind a real one. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request, type RequestOptions } from "node:https";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { load } from "js-yaml";
import {
  ClusterRole,
  ClusterRoleBinding,
  Namespace,
  Node,
  Pod,
  ServiceAccount,
  type Subject,
  type TokenRequest,
} from "../../src/api/index.js";
import { startApiServer } from "../../src/apiserver/index.js";
import { Lifetime, systemClock } from "../../src/base/index.js";
import { createAuthority } from "../../src/base/x509/certificate.js";
import { type Client, connect, parseKubeconfig } from "../../src/client/index.js";
import { type SimulatedNodes, startSimulatedNodes } from "../../src/machines/index.js";
import { envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { patienceMs } from "../eventually.js";

const namespace = "default";
const command = ["sh", "-c", "echo one; sleep 1000"];
const spec = {
  nodeName: "node-1",
  containers: [
    {
      name: "c",
      image: "i",
      command,
      ports: [{ containerPort: 80 }],
      readinessProbe: { httpGet: { path: "/healthz", port: 8080 } },
    },
  ],
};

async function runPod(client: Client): Promise<void> {
  const pods = client.resource(Pod, { namespace });
  await pods.create({ metadata: { name: "web" }, spec });
  await pods.waitFor("web", (pod) => pod?.status?.containerStatuses?.[0]?.state?.running !== undefined, {
    timeoutMs: patienceMs,
  });
}

async function start() {
  const lifetime = new Lifetime();
  const played: { nodes?: SimulatedNodes } = {};
  const podNetwork: SimulatedNodes["dialPod"] = (host, port) => played.nodes?.dialPod(host, port);
  const kubelets = { onLoopback: true };
  const disabledAdmission = ["ServiceAccount"];
  const server = lifetime.use(await startApiServer({ kubelets, podNetwork, disabledAdmission, authorization: "RBAC" }));
  const { kubeconfig } = await server.listen();
  const client = lifetime.use(await connect({ kubeconfig: parseKubeconfig(load(kubeconfig), "kubeconfig") }));
  const kubeletPorts = { clientAuthority: server.authority().certificate };
  const options = { client, nodes: 2, kubeletPorts, followCommands: true };
  played.nodes = lifetime.use(startSimulatedNodes(options));
  await played.nodes.started;
  await runPod(client);
  const text = async (path: string): Promise<string> => {
    const { body } = await server.transport()({ method: "GET", path, headers: {} }, new AbortController().signal);
    if (body instanceof Uint8Array) return Buffer.from(body).toString();
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  return { server, client, text, [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
}

/** Asks the kubelet at a port; gives the status and the body. */
function kubelet(port = 0) {
  return async (path: string, own: RequestOptions = {}): Promise<readonly [number | undefined, string]> => {
    const options = { host: "127.0.0.1", port, path, rejectUnauthorized: false, agent: false, ...own };
    const [response] = (await once(request(options).end(), "response")) as [IncomingMessage];
    let body = "";
    for await (const chunk of response) body += String(chunk);
    return [response.statusCode, body];
  };
}

async function permit(client: Client, resource: string, subject: Subject): Promise<void> {
  const rules = [{ apiGroups: [""], resources: [resource], verbs: ["get"] }];
  await client.resource(ClusterRole).create({ metadata: { name: "reader" }, rules });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" };
  await client.resource(ClusterRoleBinding).create({ metadata: { name: "reader" }, roleRef, subjects: [subject] });
}

describe("behind the embedded server", () => {
  test("logs, commands and ports of a pod are there", async () => {
    await using place = await start();
    const pods = place.client.pods(namespace);
    const lines: string[] = [];
    for await (const line of pods.logs("web", { tailLines: 1 }).lines()) lines.push(line);
    expect(lines).toEqual(["one"]);
    expect(await pods.run("web", { command: ["echo", "hi"] })).toEqual({ exitCode: 0, stdout: "hi\n", stderr: "" });
    expect(await pods.run("web", { command: ["cat"], input: "back" })).toMatchObject({ stdout: "back" });
    expect(await pods.run("web", { command: ["sh", "-c", "exit 7"] })).toMatchObject({ exitCode: 7 });
    const unknown = await pods.run("web", { command: ["nginx", "-v"] });
    expect(unknown).toMatchObject({ exitCode: 126, stderr: expect.stringContaining("simulated") as string });
    await using connection = await pods.dial("web", 80);
    await connection.write(Buffer.from("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
    let heard = "";
    for await (const chunk of connection.incoming) heard += Buffer.from(chunk).toString();
    expect(heard).toContain("port 80 of simulated pod default/web");
    await using refused = await pods.dial("web", 81);
    await expect(refused.incoming[Symbol.asyncIterator]().next()).rejects.toThrow("connection refused");
  });

  test("a port that only a probe names takes large bodies, one after the other", async () => {
    await using place = await start();
    await using forward = await place.client.pods(namespace).portForward("web", 8080);
    for (const bytes of [4_000_000, 1_000_000]) {
      const { port, address: host } = forward;
      const sent = plainRequest({ host, port, path: "/header", method: "POST", agent: false });
      sent.end(Buffer.alloc(bytes, "x"));
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      let heard = "";
      for await (const chunk of response) heard += String(chunk);
      expect([response.statusCode, heard]).toEqual([200, expect.stringContaining("port 8080 of simulated pod")]);
    }
  });

  test("a command ends with its pod", async () => {
    await using place = await start();
    const follow = ["sh", "-c", "echo on; sleep 1000"];
    await using running = await place.client.pods(namespace).exec("web", { command: follow, stderr: false });
    const output = running.stdout[Symbol.asyncIterator]();
    expect(String(Buffer.from((await output.next()).value as Uint8Array))).toBe("on\n");
    await place.client.resource(Pod, { namespace }).delete("web", { gracePeriodSeconds: 0 });
    expect(await running.exit).toBe(137);
  });

  test("a forwarded connection ends with its pod", async () => {
    await using place = await start();
    await using connection = await place.client.pods(namespace).dial("web", 80);
    await place.client.resource(Pod, { namespace }).delete("web", { gracePeriodSeconds: 0 });
    const end = (async () => {
      for await (const chunk of connection.incoming) throw new Error(`heard ${String(chunk)}`);
    })();
    await expect(end).rejects.toThrow(/closed|ended|lost|broke/i);
  });

  test("proxies lead to nodes and pods", async () => {
    await using place = await start();
    const items = JSON.parse(await place.text("/api/v1/nodes/node-1/proxy/pods")) as { items: Pod[] };
    expect(items.items.map(({ metadata }) => metadata.name)).toEqual(["web"]);
    expect(await place.text("/api/v1/nodes/node-2/proxy/pods")).toContain('"items":[]');
    expect(await place.text("/api/v1/nodes/node-1/proxy/healthz")).toBe("ok");
    expect(await place.text("/api/v1/nodes/node-1:10250/proxy/healthz")).toBe("ok");
    expect(await place.text("/api/v1/nodes/node-1/proxy/metrics")).toContain("kubelet_running_pods 1");
    expect(await place.text("/api/v1/namespaces/default/pods/web/proxy/")).toContain("simulated pod default/web");
    expect(await place.text("/api/v1/namespaces/default/pods/web:81/proxy/")).toContain("connection refused");
  });

  test("a stranger is refused, and a user may do what roles permit", async () => {
    await using place = await start();
    const { server, client } = place;
    const stranger = createAuthority({ commonName: "stranger", now: systemClock.now() });
    const strange = stranger.issue({ commonName: "jane", organizations: ["system:masters"], use: "client" });
    const ask = kubelet((await client.resource(Node).get("node-1")).status?.daemonEndpoints?.kubeletEndpoint?.Port);
    expect(await ask("/pods")).toEqual([401, "Unauthorized"]);
    expect(await ask("/pods", { key: strange.key, cert: strange.certificate })).toEqual([401, "Unauthorized"]);
    expect(await ask("/pods", { headers: { authorization: "Bearer nobody" } })).toEqual([401, "Unauthorized"]);
    const authority = createAuthority({
      commonName: "coxswain-ca",
      now: systemClock.now(),
      existing: server.authority(),
    });
    const own = authority.issue({ commonName: "jane", organizations: ["readers"], use: "client" });
    const jane = { key: own.key, cert: own.certificate };
    const refused = (path: string) => `Forbidden (user=jane, verb=get, resource=nodes, subresource(s)=[${path}])\n`;
    expect(await ask("/pods", jane)).toEqual([403, refused("pods proxy")]);
    expect(await ask("/containerLogs/default/web/c", jane)).toEqual([403, refused("proxy")]);
    await permit(client, "nodes/metrics", { kind: "Group", name: "readers", apiGroup: "rbac.authorization.k8s.io" });
    expect(await ask("/metrics", jane)).toEqual([200, expect.stringContaining("kubelet_running_pods 1")]);
    expect(await ask("/pods", jane)).toEqual([403, refused("pods proxy")]);
    expect(await ask("//metrics", jane)).toEqual([403, refused("proxy")]);
  });

  test("a service account reads metrics with its token, as a metrics-server does", async () => {
    await using place = await start();
    const { client } = place;
    const ask = kubelet((await client.resource(Node).get("node-1")).status?.daemonEndpoints?.kubeletEndpoint?.Port);
    const accounts = client.resource(ServiceAccount, { namespace });
    await accounts.create({ metadata: { name: "scraper" } });
    const { status } = await accounts.subresource("token").create<TokenRequest>("scraper", {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences: [] },
    });
    const headers = { authorization: `Bearer ${status?.token}` };
    const [refused] = await ask("/metrics/resource", { headers });
    expect(refused).toBe(403);
    await permit(client, "nodes/metrics", { kind: "ServiceAccount", name: "scraper", namespace });
    const [allowed, text] = await ask("/metrics/resource", { headers });
    expect(allowed).toBe(200);
    expect(text).toContain("resource_scrape_error 0");
  });

  test("a node that loses its power closes its port", async () => {
    await using place = await start();
    const nodes = place.client.resource(Node);
    const { status } = await nodes.get("node-1");
    const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
    await nodes.patch("node-1", { merge: { metadata: { annotations: { "coxswain.dev/power": "off" } } } });
    await expect
      .poll(() => place.text("/api/v1/namespaces/default/pods/web/log"), { timeout: patienceMs })
      .toContain(`dial tcp 127.0.0.1:${port}: connect: connection refused`);
  });
});

const assets = envtestAssets();

test.skipIf(assets === undefined)(
  "kubectl reaches them through a real kube-apiserver (skipped where KUBEBUILDER_ASSETS is not set)",
  async () => {
    await using lifetime = new Lifetime();
    const directory = await mkdtemp(join(tmpdir(), "coxswain-kubelet-"));
    lifetime.defer(() => rm(directory, { recursive: true, force: true }));
    const authority = createAuthority({ commonName: "kubelet-clients", now: systemClock.now() });
    const [commonName, organizations] = ["kube-apiserver-kubelet-client", ["system:masters"]];
    const { key, certificate } = authority.issue({ commonName, organizations, use: "client" });
    const [keyFile, certificateFile] = [join(directory, "key"), join(directory, "certificate")];
    await Promise.all([writeFile(keyFile, key, { mode: 0o600 }), writeFile(certificateFile, certificate)]);
    const flags = [`--kubelet-client-key=${keyFile}`, `--kubelet-client-certificate=${certificateFile}`];
    const disableAdmission = ["ServiceAccount"];
    const { kubeconfig } = lifetime.use(await startEnvtest({ assets: assets ?? "", flags, disableAdmission }));
    const client = lifetime.use(await connect({ kubeconfig }));
    await client.resource(Namespace).waitFor(namespace, (one) => one !== undefined, { timeoutMs: patienceMs });
    const kubeletPorts = { clientAuthority: authority.certificate };
    const nodes = lifetime.use(startSimulatedNodes({ client, nodes: 1, kubeletPorts, followCommands: true }));
    await nodes.started;
    await runPod(client);
    interface Asked {
      readonly input?: string;
      readonly env?: object;
      /** Called at the first output. */
      readonly begun?: () => void;
    }
    const kubectl = (
      args: readonly string[],
      { input = "", env = {}, begun = () => {} }: Asked = {},
    ): Promise<string> =>
      new Promise((resolve) => {
        const options = { env: { ...process.env, KUBECONFIG: kubeconfig, ...env } };
        const child = execFile(join(assets ?? "", "kubectl"), args, options, (error, out, err) =>
          resolve(`${error === null ? 0 : String(error.code)} ${out}${err}`),
        );
        child.stdout?.once("data", begun);
        child.stdin?.end(input);
      });
    expect(await kubectl(["logs", "web"])).toBe("0 one\n");
    for (const webSockets of ["true", "false"]) {
      const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSockets };
      expect(await kubectl(["exec", "web", "--", "echo", "hi"], { env })).toBe("0 hi\n");
      expect(await kubectl(["exec", "-i", "web", "--", "cat"], { env, input: "back" })).toBe("0 back");
      const failed = await kubectl(["exec", "web", "--", "sh", "-c", "exit 7"], { env });
      expect(failed).toBe("7 command terminated with exit code 7\n");
    }
    const pods = client.pods(namespace);
    expect(await pods.run("web", { command: ["echo", "hi"] })).toEqual({ exitCode: 0, stdout: "hi\n", stderr: "" });
    const outcomes: Promise<string>[] = [];
    for (const webSockets of ["true", "false"]) {
      const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSockets };
      const args = ["exec", "web", "--", "sh", "-c", "echo on; sleep 1000"];
      await new Promise<void>((resolve) => void outcomes.push(kubectl(args, { env, begun: resolve })));
    }
    await client.resource(Pod, { namespace }).delete("web", { gracePeriodSeconds: 0 });
    const killed = "137 on\ncommand terminated with exit code 137\n";
    expect(await Promise.all(outcomes)).toEqual([killed, killed]);
  },
);
