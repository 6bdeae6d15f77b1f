/** `coxswain manifests`: the objects, their forms, and an operator that runs with exactly the rights that they give. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
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
import { describe, expect, test } from "vitest";
import { ownNamespace } from "../../examples/testing/servers.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { eventually } from "../eventually.js";
import { operator as hooked } from "./hooked-operator.js";
import {
  fileOf,
  type Install,
  manifests,
  objectsIn,
  objectsOf,
  runAsInstalled,
  servers,
  temporaryFolder,
  title,
  toolOn,
  ways,
} from "./installed.js";
import { Gauge, operator } from "./operator.js";

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
