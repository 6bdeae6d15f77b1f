import { expect, test } from "vitest";
import { busyClock } from "../../../../test/busy-clock.js";
import { ask, type Json } from "../../../../test/ask.js";
import { startTestServer } from "../../../testing/cluster.js";
import type { ApiServer } from "../../index.js";

const registration = "/apis/admissionregistration.k8s.io/v1";
const configMaps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const configMap = (name: string, data: object = {}): object => ({ metadata: { name }, data });
const deployment = (name: string, replicas: number): object => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
});

const about = (group: string, version: string, resource: string): object => ({
  resourceRules: [{ apiGroups: [group], apiVersions: [version], operations: ["*"], resources: [resource] }],
});

/** A policy and its binding, both of the given kind. */
async function inForce(
  server: ApiServer,
  kind: "validating" | "mutating",
  spec: object,
  binding: object = kind === "validating" ? { validationActions: ["Deny"] } : {},
): Promise<void> {
  const policy = await ask(server, "POST", `${registration}/${kind}admissionpolicies`, {
    metadata: { name: "p" },
    spec,
  });
  expect(policy).toMatchObject({ code: 201 });
  const bound = { metadata: { name: "b" }, spec: { policyName: "p", ...binding } };
  expect(await ask(server, "POST", `${registration}/${kind}admissionpolicybindings`, bound)).toMatchObject({
    code: 201,
  });
}

test("a policy denies what its expression does not hold of, in upstream's words", async () => {
  await using server = await startTestServer();
  await inForce(server, "validating", {
    matchConstraints: about("apps", "v1", "deployments"),
    variables: [{ name: "replicas", expression: "object.spec.replicas" }],
    validations: [
      { expression: "variables.replicas > 1" },
      {
        expression: "variables.replicas < 100",
        messageExpression: "'too many: ' + string(variables.replicas)",
        reason: "Forbidden",
      },
    ],
  });
  const why =
    "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: variables.replicas > 1";
  expect(await ask(server, "POST", deployments, deployment("few", 1))).toMatchObject({
    code: 422,
    reason: "Invalid",
    message: `deployments.apps "few" is forbidden: ${why}`,
    details: { name: "few", group: "apps", kind: "deployments", causes: [{ message: why }] },
  });
  expect(await ask(server, "POST", deployments, deployment("many", 100))).toMatchObject({
    code: 403,
    reason: "Forbidden",
    message:
      "deployments.apps \"many\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: too many: 100",
  });
  expect(await ask(server, "POST", deployments, deployment("right", 2))).toMatchObject({ code: 201 });
});

test("a binding that only warns lets the write through", async () => {
  await using server = await startTestServer();
  const spec = {
    matchConstraints: about("", "v1", "configmaps"),
    validations: [{ expression: "false", message: "no" }],
  };
  await inForce(server, "validating", spec, { validationActions: ["Warn", "Audit"] });
  expect(await ask(server, "POST", configMaps, configMap("a"))).toMatchObject({
    code: 201,
    warnings: [`299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no"`],
  });
});

test("parameters come from the object that the binding names, and their absence denies where it says so", async () => {
  await using server = await startTestServer();
  await inForce(
    server,
    "validating",
    {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConstraints: about("", "v1", "secrets"),
      validations: [{ expression: "object.metadata.name.startsWith(params.data.prefix)" }],
    },
    {
      validationActions: ["Deny"],
      paramRef: { name: "settings", namespace: "default", parameterNotFoundAction: "Deny" },
    },
  );
  const secrets = "/api/v1/namespaces/default/secrets";
  const { message } = await ask(server, "POST", secrets, { metadata: { name: "x-1" } });
  expect(message).toContain(
    "denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
  );
  await ask(server, "POST", configMaps, configMap("settings", { prefix: "x-" }));
  expect((await ask(server, "POST", secrets, { metadata: { name: "x-1" } })).code).toBe(201);
  expect((await ask(server, "POST", secrets, { metadata: { name: "y-1" } })).code).toBe(422);
});

test("an expression that fails denies, unless the policy is to be ignored then", async () => {
  for (const [failurePolicy, code] of [
    ["Fail", 422],
    ["Ignore", 201],
  ] as const) {
    await using server = await startTestServer();
    await inForce(server, "validating", {
      failurePolicy,
      matchConstraints: about("", "v1", "configmaps"),
      validations: [{ expression: "object.data.missing == 'x'" }],
    });
    const answer = await ask(server, "POST", configMaps, configMap("a", { b: "c" }));
    expect(answer.code).toBe(code);
    if (code === 422)
      expect(answer.message).toContain(
        "expression 'object.data.missing == 'x'' resulted in error: no such key: missing",
      );
  }
});

test("an expression sees the request, the namespace, what was there before and what its user may do", async () => {
  await using server = await startTestServer();
  await inForce(server, "validating", {
    matchConstraints: about("", "v1", "configmaps"),
    matchConditions: [{ name: "changes", expression: "request.operation == 'UPDATE'" }],
    validations: [
      { expression: "object.data.x == oldObject.data.x", message: "x stays" },
      { expression: "namespaceObject.metadata.name == request.namespace", message: "namespace" },
      { expression: "request.userInfo.username == 'kubernetes-admin'", message: "user" },
      {
        expression: "authorizer.group('').resource('pods').namespace('default').check('get').allowed()",
        message: "may",
      },
    ],
  });
  await ask(server, "POST", configMaps, configMap("a", { x: "1" }));
  expect((await ask(server, "PATCH", `${configMaps}/a`, { data: { y: "1" } })).code).toBe(200);
  const { message } = await ask(server, "PATCH", `${configMaps}/a`, { data: { x: "2" } });
  expect(message).toMatch(/denied request: x stays$/);
});

test("a mutating policy applies what its expression gives, merging lists by their keys", async () => {
  await using server = await startTestServer();
  const expression = `Object{
    metadata: Object.metadata{annotations: {"by": "policy"}},
    spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{
      containers: [Object.spec.template.spec.containers{name: "side", image: "s"}]}}}}`;
  await inForce(server, "mutating", {
    matchConstraints: about("apps", "v1", "deployments"),
    reinvocationPolicy: "Never",
    mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }],
  });
  const { metadata, spec } = await ask(server, "POST", deployments, deployment("a", 1));
  expect(metadata.annotations).toEqual({ by: "policy" });
  expect(spec.template.spec.containers.map(({ name }: Json) => name).toSorted()).toEqual(["c", "side"]);
  expect(JSON.stringify(metadata.managedFields)).not.toContain("side");
});

test("a mutating policy patches, with what an earlier mutation made before its eyes", async () => {
  await using server = await startTestServer();
  const patch = (expression: string): object => ({ patchType: "JSONPatch", jsonPatch: { expression } });
  await inForce(server, "mutating", {
    matchConstraints: about("", "v1", "configmaps"),
    reinvocationPolicy: "IfNeeded",
    mutations: [
      patch('[JSONPatch{op: "add", path: "/data/one", value: "1"}]'),
      patch('[JSONPatch{op: "add", path: "/data/two", value: object.data.one + "!"}]'),
    ],
  });
  const { data } = await ask(server, "POST", configMaps, configMap("a", { own: "x" }));
  expect(data).toEqual({ own: "x", one: "1", two: "1!" });
});

test("a write may pause between the expressions that judge it", async () => {
  const clock = busyClock();
  const readings = async (validations: number): Promise<number> => {
    await using server = await startTestServer({ clock });
    const spec = {
      matchConstraints: about("", "v1", "configmaps"),
      validations: Array.from({ length: validations }, (_, i) => ({ expression: `object.data.all(k, k != "k${i}")` })),
    };
    await inForce(server, "validating", spec);
    const before = clock.monotonic();
    expect(await ask(server, "POST", configMaps, configMap("a", { x: "y" }))).toMatchObject({ code: 201 });
    return clock.monotonic() - before;
  };
  expect((await readings(40)) - (await readings(1))).toBeGreaterThanOrEqual(39);
});

test("an audit annotation that cannot be evaluated refuses the write, whatever the binding's actions are", async () => {
  await using server = await startTestServer();
  const spec = {
    matchConstraints: about("", "v1", "configmaps"),
    auditAnnotations: [{ key: "k", valueExpression: "'x' + object.data.none" }],
  };
  await inForce(server, "validating", spec, { validationActions: ["Warn"] });
  const { code, message } = await ask(server, "POST", configMaps, configMap("a", { own: "y" }));
  expect({ code, message }).toMatchObject({ code: 422, message: expect.stringContaining("no such key: none") });
});

test("an expression sees a null where a request has no object", async () => {
  await using server = await startTestServer();
  await inForce(server, "validating", {
    matchConstraints: about("", "v1", "configmaps"),
    matchConditions: [{ name: "deletions", expression: "object == null" }],
    validations: [{ expression: "oldObject.data.keep != 'yes'" }],
  });
  for (const [name, keep] of [
    ["kept", "yes"],
    ["free", "no"],
  ]) {
    expect(await ask(server, "POST", configMaps, configMap(name as string, { keep }))).toMatchObject({ code: 201 });
  }
  expect(await ask(server, "DELETE", `${configMaps}/kept`)).toMatchObject({
    code: 422,
    message: expect.stringContaining("denied request: failed expression: oldObject.data.keep != 'yes'") as string,
  });
  expect(await ask(server, "DELETE", `${configMaps}/free`)).toMatchObject({ code: 200 });
});
