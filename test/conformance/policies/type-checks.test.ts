/**
 * The same policies with our controller on the embedded server and with the real kube-controller-manager on a real
 * server: the same statuses, but for the numbers in the names of types.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  CustomResourceDefinition,
  type Draft,
  ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicySpec,
} from "../../../src/api/index.js";
import { policyWarnings } from "../../../src/apiserver/index.js";
import { Lifetime, startRunning } from "../../../src/base/index.js";
import { builtInControllers, runControllers, selectControllers } from "../../../src/builtin/index.js";
import { Client, connect } from "../../../src/client/index.js";
import { startTestServer } from "../../../src/testing/cluster.js";
import { envtestAssets, startEnvtest } from "../../../src/testing/envtest.js";
import { startGuarded } from "../../../src/testing/guarded-process.js";
import { patienceMs } from "../../eventually.js";
import { statedCount } from "../stated.js";

const assets = envtestAssets();
const controller = "validatingadmissionpolicy-status-controller";

const on = (apiGroups: readonly string[], apiVersions: readonly string[], ...resources: readonly string[]) => ({
  matchConstraints: { resourceRules: [{ apiGroups, apiVersions, operations: ["CREATE"] as const, resources }] },
});
const deployments = on(["apps"], ["v1"], "deployments");
const gadgets = on(["example.com"], ["v1"], "gadgets");
const checks = (...expressions: readonly string[]) => ({
  validations: expressions.map((expression) => ({ expression })),
});

const policies: Readonly<Record<string, ValidatingAdmissionPolicySpec>> = {
  good: { ...deployments, ...checks("object.spec.replicas > 1") },
  types: {
    ...deployments,
    ...checks("object.spec.replicas > '1'", "object.spec.replicas > 1", "object.nonsense == 1", "object.spec + 1 == 2"),
  },
  fields: {
    ...deployments,
    ...checks(
      "object.spec.template.spec.containers.all(c, c.imagee == '')",
      "object.spec.template.metadata.labels.a == 1",
      "object.metadata.creationTimestamp > 5",
      "object.spec.strategy.rollingUpdate.maxSurge == 'x'",
      "object.spec.template.spec.containers[0].resources.limits['cpu'] > 1",
      "object.metadata.managedFields[0].fieldsV1.a == 1",
      "object.kind == 3 || object.apiVersion == 4",
    ),
  },
  messages: {
    ...deployments,
    validations: [{ expression: "object.spec.replicas > 1", messageExpression: "string(object.spec.replicas.foo)" }],
  },
  several: {
    ...on(["apps", ""], ["v1"], "deployments", "replicasets", "pods", "nothing", "pods/status"),
    ...checks("object.spec.replicas > 1", "object.spec.nonsense == 1"),
  },
  wild: { ...on(["*"], ["v1"], "deployments"), ...checks("object.nonsense == 1") },
  "wild-resource": { ...on(["apps"], ["v1"], "*"), ...checks("object.nonsense == 1") },
  "same-name": { ...on([""], ["v1"], "events"), ...checks("object.reportingComponent == 1", "object.note == ''") },
  variables: {
    ...deployments,
    variables: [
      { name: "spec", expression: "object.spec" },
      { name: "wrong", expression: "object.nonsense" },
    ],
    ...checks("variables.spec.replicas == 'x'", "variables.wrong == 1", "variables.spec.foo == 1"),
  },
  params: {
    ...deployments,
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    ...checks("params.data.a == 1", "params.nonsense == 1", "object.metadata.labels == params"),
  },
  "params-unknown": {
    ...deployments,
    paramKind: { apiVersion: "nowhere.test/v1", kind: "Thing" },
    ...checks("params.data.a == 1", "object.nonsense == params.x"),
  },
  asking: {
    ...deployments,
    ...checks(
      "authorizer.requestResource.check('get').allowed()",
      "authorizer.group('').resource('pods').check('get').allowed() && object.foo == 1",
      "request.name == object.spec || namespaceObject.metadata.name == object.kind",
    ),
  },
  custom: {
    ...gadgets,
    ...checks(
      "object.spec.size > 'x'",
      "object.spec.port == 'x' || object.spec.port == 1",
      "object.spec.any.a == 1",
      "object.spec.nothing == 1",
      "object.spec.a__dash__b == 1",
      "object.metadata.labels.x == 1",
      "object.spec.names.exists(n, n == 1)",
      "object.spec.map['a'] == 1",
      "object.spec.template.metadata.name == 1",
    ),
  },
  secrets: { ...on([""], ["v1"], "secrets"), ...checks("object.data['a'] == 'b'", "object.stringData.a == 1") },
  definitions: {
    ...on(["apiextensions.k8s.io"], ["v1"], "customresourcedefinitions"),
    ...checks("object.spec.versions[0].schema.openAPIV3Schema.properties['a'].properties['b'].type == 1"),
  },
};

const gadget: Draft<CustomResourceDefinition> = {
  metadata: { name: "gadgets.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "gadgets", singular: "gadget", kind: "Gadget", listKind: "GadgetList" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer" },
                  port: { "x-kubernetes-int-or-string": true },
                  any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  "a-b": { type: "string" },
                  names: { type: "array", items: { type: "string" } },
                  map: { type: "object", additionalProperties: { type: "string" } },
                  template: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

async function statuses(client: Client): Promise<Readonly<Record<string, unknown>>> {
  const definitions = client.resource(CustomResourceDefinition);
  await definitions.create(gadget);
  const established = (one?: CustomResourceDefinition): boolean =>
    one?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true;
  await definitions.waitFor("gadgets.example.com", established, { timeoutMs: patienceMs });
  await expect
    .poll(async () => Object.keys(await client.discovery.openapiPaths()), { timeout: patienceMs })
    .toContain("apis/example.com/v1");
  const resource = client.resource(ValidatingAdmissionPolicy);
  const found: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(policies)) {
    await resource.create({ metadata: { name }, spec });
    const one = await resource.waitFor(name, (policy) => policy?.status?.observedGeneration === 1, {
      timeoutMs: patienceMs,
    });
    const { managedFields = [] } = one?.metadata ?? {};
    const owners = managedFields.map((entry) => ({ ...entry, time: undefined }));
    found[name] = JSON.parse(
      JSON.stringify({ status: one?.status, owners }).replaceAll(/\b([A-Z][A-Za-z]+)\d+\b/g, "$1N"),
    );
  }
  return found;
}

async function ours(): Promise<Readonly<Record<string, unknown>>> {
  await using lifetime = new Lifetime();
  const server = lifetime.use(await startTestServer());
  const client = lifetime.use(new Client({ transport: server.transport(), userAgent: "script" }));
  const controllers = selectControllers([controller], builtInControllers);
  lifetime.use(startRunning((signal) => runControllers({ client, controllers, policyWarnings, signal })));
  return await statuses(client);
}

async function real(): Promise<Readonly<Record<string, unknown>>> {
  await using lifetime = new Lifetime();
  const { kubeconfig, directory } = lifetime.use(await startEnvtest({ assets: assets ?? "" }));
  const args = [
    ...["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map((flag) => `--${flag}=${kubeconfig}`),
    "--leader-elect=false",
    "--secure-port=0",
    `--cert-dir=${directory}`,
    `--controllers=${controller}`,
  ];
  const logFile = join(directory, "kube-controller-manager.log");
  lifetime.use(startGuarded(join(assets ?? "", "kube-controller-manager"), { args, logFile }));
  return await statuses(lifetime.use(await connect({ kubeconfig, userAgent: "script" })));
}

test("docs/compatibility.md states the number of cases", () => {
  expect(Object.keys(policies).length).toBe(statedCount("policies, by our controller"));
});

describe.skipIf(assets === undefined)("policies' statuses (skipped where KUBEBUILDER_ASSETS is not set)", () => {
  test(
    "name the expressions that do not fit, in the real controller's words",
    async () => {
      const [here, there] = await Promise.all([ours(), real()]);
      for (const name of Object.keys(policies)) expect.soft({ [name]: here[name] }).toEqual({ [name]: there[name] });
    },
    5 * patienceMs,
  );
});
