/** `coxswain manifests`: the objects, their forms, and an operator that runs with exactly the rights that they give. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Client, type KubeObject, type Manager, managerOptionsFrom, parseFlags } from "coxswain";
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  Event,
  MutatingWebhookConfiguration,
  Namespace,
  Secret,
  ValidatingWebhookConfiguration,
} from "coxswain/api";
import { silentLogger } from "coxswain/base";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectAs, embeddedTls, mountedAccount, realTls, type TlsServer } from "../../examples/testing/account.js";
import { keep, ownNamespace } from "../../examples/testing/servers.js";
import { yamlToJson } from "../../src/api/yaml/index.js";
import { runCommandLine } from "../../src/cli/program.js";
import { envtestAssets } from "../../src/testing/envtest.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { eventually } from "../eventually.js";
import { operator as hooked } from "./hooked-operator.js";
import { Gauge, operator } from "./operator.js";

const fileOf = (name: string): string => new URL(`./${name}.ts`, import.meta.url).pathname;

async function manifests(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: "", err: "" };
  const code = await runCommandLine(["manifests", ...args], {
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
    stopSignal: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => {} }),
  });
  return { code, ...printed };
}

function objectsIn(yaml: string): readonly KubeObject[] {
  return yaml.split(/^---$/m).map((text) => JSON.parse(yamlToJson(text).json) as KubeObject);
}

async function objectsOf(file: string, ...args: readonly string[]): Promise<readonly KubeObject[]> {
  const { code, out, err } = await manifests(fileOf(file), "--name", "gauge", ...args);
  expect([code, err]).toEqual([0, ""]);
  return objectsIn(out);
}

const title = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-manifests-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("the objects", () => {
  test("are everything that an operator needs, with the rights that its controllers declare", async () => {
    const objects = await objectsOf("operator", "--image", "registry.example/gauge:1", "--", "--shiny");
    expect(objects.map(title)).toEqual([
      "Namespace gauge",
      "CustomResourceDefinition gauges.manifests.example.com",
      "ServiceAccount gauge/gauge",
      "ClusterRole gauge",
      "ClusterRoleBinding gauge",
      "Role gauge/gauge",
      "RoleBinding gauge/gauge",
      "Service gauge/gauge",
      "Deployment gauge/gauge",
      "PodDisruptionBudget gauge/gauge",
    ]);
    const rulesOf = (kind: string) => (objects.find((one) => one.kind === kind) as { rules?: unknown }).rules;
    const group = "manifests.example.com";
    expect(rulesOf("ClusterRole")).toEqual([
      {
        apiGroups: [""],
        resources: ["configmaps"],
        verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
      },
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
      { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] },
      { apiGroups: [group], resources: ["gauges"], verbs: ["get", "list", "patch", "watch"] },
      { apiGroups: [group], resources: ["gauges/finalizers"], verbs: ["update"] },
      { apiGroups: [group], resources: ["gauges/status"], verbs: ["get", "patch", "update"] },
    ]);
    const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
    expect(rulesOf("Role")).toEqual([
      { ...leases, resourceNames: ["gauge"], verbs: ["get", "update"] },
      { ...leases, verbs: ["create"] },
    ]);
    const deployment = objects.find(({ kind }) => kind === "Deployment") as Deployment;
    const [container] = deployment.spec?.template.spec?.containers ?? [];
    expect(container).toMatchObject({
      image: "registry.example/gauge:1",
      args: ["--leader-elect", "--metrics-address=:8080", "--log-format=json", "--shiny"],
      readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
    });
  });

  test("for one namespace have Roles there, and a ClusterRole only for kinds in cluster scope", async () => {
    const objects = await objectsOf("operator", "--namespace", "ops", "--watch-namespace", "prod", "--service-monitor");
    expect(objects.map(title).filter((one) => /Role |Monitor/.test(one))).toEqual([
      "ClusterRole gauge",
      "Role ops/gauge",
      "Role prod/gauge",
      "ServiceMonitor ops/gauge",
    ]);
    expect(objects.find(({ kind }) => kind === "ClusterRole")).toMatchObject({ rules: [{ resources: ["nodes"] }] });
    expect(objects.find(({ kind }) => kind === "Deployment")).toMatchObject({
      spec: { template: { spec: { containers: [{ args: expect.arrayContaining(["--namespace=prod"]) as unknown }] } } },
    });
  });

  test("of webhooks leave out the operator's own namespace for kinds of others, which it needs to start", async () => {
    const objects = await objectsOf("hooked-operator");
    const validating = objects.find(({ kind }) => kind === "ValidatingWebhookConfiguration");
    const clientConfig = { service: { name: "gauge", namespace: "gauge", port: 443 } };
    expect(validating).toMatchObject({
      metadata: { name: "gauge" },
      webhooks: [
        { name: "validate.dials.hooked.example.com", clientConfig },
        {
          name: "validate.configmaps.core",
          namespaceSelector: {
            matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["gauge"] }],
          },
        },
      ],
    });
    expect(JSON.stringify(objects)).not.toContain("caBundle");
    expect(objects.find(({ kind }) => kind === "CustomResourceDefinition")).toMatchObject({
      spec: { conversion: { strategy: "Webhook" }, versions: [{ name: "v1" }, { name: "v1beta1" }] },
    });
    expect(objects.find(({ kind }) => kind === "Service")).toMatchObject({
      spec: {
        ports: [
          { name: "http", port: 8080 },
          { name: "webhooks", port: 443, targetPort: "webhooks" },
        ],
      },
    });
    expect(objects.find(({ kind }) => kind === "Deployment")).toMatchObject({
      spec: {
        template: {
          spec: { containers: [{ args: expect.arrayContaining(["--webhook-service=gauge"]) as unknown }] },
        },
      },
    });
  });
});

test("the operator may be the default export, or a part of it; the nearest package gives its name and version", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "package.json"), '{ "name": "@us/little", "version": "2.0.0" }');
  const file = join(folder, "operator.mjs");
  await writeFile(file, "export default { operator: () => ({ needs: () => ({ definitions: [], rules: [] }) }) };");
  const { out, err } = await manifests(file);
  expect(err).toBe("");
  expect(objectsIn(out).map(title)).toEqual([
    "Namespace little",
    "ServiceAccount little/little",
    "Deployment little/little",
    "PodDisruptionBudget little/little",
  ]);
  expect(out).toContain("image: little:2.0.0");
});

describe("a mistake is told", () => {
  test.each([
    { what: "a missing file", args: ["nowhere.js"], said: "there is no file nowhere.js" },
    {
      what: "a file without an operator",
      args: [fileOf("../eventually")],
      said: 'as "operator" or as the default',
    },
    { what: "a chart without a folder", args: [fileOf("operator"), "--format", "helm"], said: "give it by --out" },
    {
      what: "a chart with a namespace",
      args: [fileOf("operator"), "--format", "helm", "--out", "x", "--namespace", "y"],
      said: "helm install --namespace",
    },
    { what: "a bad name", args: [fileOf("operator"), "--name", "a.b"], said: '--name "a.b"' },
  ])("$what", async ({ args, said }) => {
    const { code, err } = await manifests(...args);
    expect(code).toBe(1);
    expect(err).toContain(said);
  });

  test("a file that somebody else has written is not overwritten; one that was made before is", async () => {
    const folder = await temporaryFolder();
    const args = [fileOf("operator"), "--format", "kustomize", "--out", folder];
    expect((await manifests(...args)).code).toBe(0);
    const made = await readFile(join(folder, "deployment.yaml"), "utf8");
    expect((await manifests(...args)).code).toBe(0);
    expect(await readFile(join(folder, "deployment.yaml"), "utf8")).toBe(made);
    await writeFile(join(folder, "deployment.yaml"), "kind: Mine\n");
    expect((await manifests(...args)).err).toContain("deployment.yaml exists and was not made by this command");
  });
});

const servers = [
  { where: "the embedded server", open: embeddedTls },
  { where: "a real server", open: realTls },
] as const;

type Tool = (program: "kubectl" | "helm", ...args: readonly string[]) => Promise<string>;

async function toolOn({ kubeconfig }: TlsServer): Promise<Tool> {
  const home = await temporaryFolder();
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home };
  return async (program, ...args) =>
    (await promisify(execFile)(join(envtestAssets() ?? "", program), args, { env })).stdout;
}

/** The manager as the Deployment's program makes it, with the rights of its pods. */
async function runAsInstalled(
  server: TlsServer,
  { name, namespace, make }: { name: string; namespace: string; make: typeof operator },
): Promise<{ readonly manager: Manager; readonly client: Client }> {
  const deployment = await server.admin.resource(Deployment, { namespace }).get(name);
  const { args = [] } = deployment.spec?.template.spec?.containers[0] ?? {};
  const client = await connectAs(await mountedAccount(server, { name, namespace }));
  const { http: _, webhooks, ...options } = managerOptionsFrom(parseFlags(args), { name, client, log: silentLogger });
  const manager = make({ ...options, ...(webhooks && { webhooks: { ...webhooks, host: "127.0.0.1", port: 0 } }) });
  keep(manager.start());
  return { manager, client };
}

/** Installs, and gives a function that uninstalls. */
type Install = (
  tool: Tool,
  place: { name: string; namespace: string; file: string },
) => Promise<() => Promise<unknown>>;

const ways: Readonly<Record<string, Install>> = {
  async "kubectl apply -f"(tool, { name, namespace, file }) {
    const path = join(await temporaryFolder(), "install.yaml");
    expect((await manifests(file, "--name", name, "--namespace", namespace, "--out", path)).err).toBe("");
    await tool("kubectl", "apply", "-f", path);
    return () => tool("kubectl", "delete", "-f", path, "--wait=false");
  },
  async "kubectl apply -k"(tool, { name, namespace, file }) {
    const out = await temporaryFolder();
    const form = ["--format", "kustomize", "--out", out, "--namespace", namespace];
    expect((await manifests(file, "--name", name, ...form)).err).toBe("");
    await tool("kubectl", "apply", "-k", out);
    return () => tool("kubectl", "delete", "-k", out, "--wait=false");
  },
  async "helm install"(tool, { name, namespace, file }) {
    const out = await temporaryFolder();
    expect((await manifests(file, "--name", name, "--format", "helm", "--out", out)).err).toBe("");
    await tool("helm", "lint", "--strict", out);
    const release = [name, out, "--namespace", namespace];
    await tool("helm", "install", ...release, "--create-namespace", "--set", "replicas=3,args={-v=4}");
    await tool("helm", "upgrade", ...release);
    return async () => {
      await tool("helm", "uninstall", name, "--namespace", namespace);
      return await tool("kubectl", "delete", "crd", "gauges.manifests.example.com", "--wait=false");
    };
  },
};

for (const { where, open } of servers)
  describe.skipIf(!hasRealCluster())(`on ${where} (needs KUBEBUILDER_ASSETS for kubectl and helm)`, () => {
    test.each(Object.entries(ways))("%s installs it, and it runs with exactly these rights", async (_, install) => {
      const server = await open();
      const { admin } = server;
      const [name, namespace] = [ownNamespace("gauge"), ownNamespace("system")];
      const tool = await toolOn(server);
      const uninstall = await install(tool, { name, namespace, file: fileOf("operator") });
      const definitions = admin.resource(CustomResourceDefinition);
      const crd = "gauges.manifests.example.com";
      const established = await definitions.waitFor(
        crd,
        (now) =>
          now?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false,
      );
      expect(established?.spec.versions[0]?.schema?.openAPIV3Schema?.description).toBe(
        "Braces such as {{ .Values.image }} are no template here.",
      );
      const { manager, client } = await runAsInstalled(server, { name, namespace, make: operator });
      const work = ownNamespace("work");
      await admin.resource(Namespace).create({ metadata: { name: work } });
      const gauges = admin.resource(Gauge, { namespace: work });
      await eventually("gauges are served", () =>
        gauges.create({ metadata: { name: "a" }, spec: { text: "one" } }).then(
          () => true,
          () => false,
        ),
      );
      await gauges.waitFor("a", (now) => now?.status?.nodes !== undefined);
      const map = await admin.resource(ConfigMap, { namespace: work }).get("a");
      expect(map.data).toEqual({ text: "one" });
      const events = admin.resource(Event, { namespace: work });
      await eventually("the event is written", async () => (await events.list()).items.length > 0);
      await gauges.delete("a");
      await gauges.waitFor("a", (now) => now === undefined);
      await eventually("nothing is missing", () => manager.problems().length === 0);
      // and nothing more is allowed than was declared
      await expect(client.resource(Secret, { namespace: work }).list()).rejects.toThrow("forbidden");
      await expect(client.resource(Secret, { namespace }).list()).rejects.toThrow("forbidden");
      await uninstall();
    });

    test("webhooks of an installed operator are in order, and keep their authority when it is applied again", async () => {
      const server = await open();
      const { admin } = server;
      const [name, namespace] = [ownNamespace("dial"), ownNamespace("system")];
      const tool = await toolOn(server);
      const place = { name, namespace, file: fileOf("hooked-operator") };
      const uninstall = await (ways["kubectl apply -f"] as Install)(tool, place);
      const { manager } = await runAsInstalled(server, { name, namespace, make: hooked });
      await eventually("the webhooks are in order", () => manager.problems().length === 0);
      const authorities = async (): Promise<readonly boolean[]> => {
        const definition = await admin.resource(CustomResourceDefinition).get("dials.hooked.example.com");
        const { webhooks: mutating = [] } = await admin.resource(MutatingWebhookConfiguration).get(name);
        const { webhooks: validating = [] } = await admin.resource(ValidatingWebhookConfiguration).get(name);
        const configs = [...mutating, ...validating].map(({ clientConfig }) => clientConfig);
        return [...configs, definition.spec.conversion?.webhook?.clientConfig].map(
          (one) => one?.caBundle !== undefined,
        );
      };
      expect(await authorities()).toEqual([true, true, true, true]);
      await (ways["kubectl apply -f"] as Install)(tool, place);
      expect(await authorities()).toEqual([true, true, true, true]);
      const { webhooks } = await admin.resource(ValidatingWebhookConfiguration).get(name);
      expect(webhooks?.[1]?.namespaceSelector).toBeDefined();
      await uninstall();
    });
  });
