import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { type ClientTools, startClientTools } from "./client-tools.js";

const chart: Readonly<Record<string, string>> = {
  "Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n",
  "values.yaml": "replicas: 1\ncolour: red\nextra: true\n",
  "crds/gadget.yaml": `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gadgets.shop.example.com }
spec:
  group: shop.example.com
  names: { plural: gadgets, singular: gadget, kind: Gadget }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, properties: { colour: { type: string } } }
`,
  "templates/config.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: { name: "{{ .Release.Name }}-config" }
data: { colour: "{{ .Values.colour }}" }
`,
  "templates/extra.yaml": `
{{- if .Values.extra }}
apiVersion: v1
kind: ConfigMap
metadata: { name: "{{ .Release.Name }}-extra" }
{{- end }}
`,
  "templates/secret.yaml": `
apiVersion: v1
kind: Secret
metadata: { name: "{{ .Release.Name }}-secret" }
stringData: { password: "{{ .Values.colour }}" }
`,
  "templates/service.yaml": `
apiVersion: v1
kind: Service
metadata: { name: "{{ .Release.Name }}" }
spec:
  selector: { app: "{{ .Release.Name }}" }
  ports: [{ port: 80, targetPort: http }]
`,
  "templates/deployment.yaml": `
apiVersion: apps/v1
kind: Deployment
metadata: { name: "{{ .Release.Name }}" }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: "{{ .Release.Name }}" } }
  template:
    metadata: { labels: { app: "{{ .Release.Name }}" } }
    spec:
      containers:
        - name: web
          image: example.com/web:1
          ports: [{ name: http, containerPort: 8080 }]
          env: [{ name: COLOUR, value: "{{ .Values.colour }}" }]
`,
  "templates/gadget.yaml": `
apiVersion: shop.example.com/v1
kind: Gadget
metadata: { name: "{{ .Release.Name }}" }
spec: { colour: "{{ .Values.colour }}" }
`,
  "templates/hook.yaml": `
apiVersion: v1
kind: ConfigMap
metadata:
  name: "{{ .Release.Name }}-hook"
  annotations: { helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation }
data: { colour: "{{ .Values.colour }}" }
`,
};

describe.skipIf(!hasRealCluster())("helm on the embedded server (skipped where KUBEBUILDER_ASSETS is not set)", () => {
  let tools: ClientTools;
  let folder: string;
  beforeAll(async () => {
    tools = await startClientTools();
    for (const [name, content] of Object.entries(chart)) await tools.file(`shop/${name}`, content);
    folder = dirname(await tools.file("shop/.helmignore", ""));
  });
  afterAll(() => tools[Symbol.asyncDispose]());

  const helm = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await tools.run("helm", args);
    expect([code, err]).toEqual([0, expect.not.stringContaining("Error")]);
    return out;
  };
  const read = async (resource: string, path: string): Promise<string> =>
    (await tools.run("kubectl", ["get", ...resource.split("/"), "-o", `jsonpath=${path}`])).out;
  const state = async (): Promise<readonly string[]> => [
    await read("deployment/one", "{.spec.replicas} {.spec.template.spec.containers[0].env[0].value}"),
    await read("configmap/one-config", "{.data.colour}"),
    await read("configmap/one-hook", "{.data.colour}"),
    await read("gadgets/one", "{.spec.colour}"),
    Buffer.from(await read("secret/one-secret", "{.data.password}"), "base64").toString(),
    await read("configmap/one-extra", "{.metadata.name}"),
  ];

  test("install, upgrade, rollback and uninstall do what they say", { timeout: 600_000 }, async () => {
    expect(await helm("install", "one", folder)).toContain("STATUS: deployed");
    expect(await state()).toEqual(["1 red", "red", "red", "red", "red", "one-extra"]);
    expect(await read("service/one", "{.spec.ports[0].targetPort}")).toBe("http");
    const manager = "{.metadata.managedFields[0].manager} {.metadata.managedFields[0].operation}";
    expect(await read("configmap/one-config --show-managed-fields".split(" ")[0] as string, manager)).toBe(
      "helm Apply",
    );

    await helm("upgrade", "one", folder, "--set", "replicas=3,colour=blue,extra=false");
    expect(await state()).toEqual(["3 blue", "blue", "blue", "blue", "blue", ""]);

    await helm("rollback", "one", "1");
    expect((await state()).toSpliced(2, 1)).toEqual(["1 red", "red", "red", "red", "one-extra"]);
    expect((await helm("history", "one", "-o", "json")).match(/"status":"deployed"/g)).toHaveLength(1);

    await helm("uninstall", "one");
    expect((await state()).toSpliced(2, 1)).toEqual(["", "", "", "", ""]);
    expect(JSON.parse(await helm("list", "-o", "json"))).toEqual([]);
  });
});
