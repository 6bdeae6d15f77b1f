/**
 * Scripts about admission that users configure: policies in CEL that refuse, warn and change, and webhooks that cannot
 * be reached.
 */
import { inNamespace, object, type Script } from "../../script.js";

const registration = "/apis/admissionregistration.k8s.io/v1";
const own = { matchLabels: { "kubernetes.io/metadata.name": "diff-policies" } };

const about = (group: string, resources: readonly string[], operations: readonly string[] = ["*"]): object => ({
  namespaceSelector: own,
  resourceRules: [{ apiGroups: [group], apiVersions: ["*"], operations, resources }],
});

const configMap = (name: string, data: object = {}, labels: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels },
  data,
});

/** Each kind of object has a policy of its own, so that none answers for another. */
export function policies(): Script {
  const { script: s, core } = inNamespace("diff-policies");
  const policy = (name: string, spec: object): void => {
    s.send("POST", `${registration}/validatingadmissionpolicies?fieldManager=x`, {
      ...object(`${registration.slice(6)}`, "ValidatingAdmissionPolicy", name),
      spec,
    });
  };
  const bind = (name: string, spec: object): void => {
    s.send("POST", `${registration}/validatingadmissionpolicybindings?fieldManager=x`, {
      ...object(`${registration.slice(6)}`, "ValidatingAdmissionPolicyBinding", name),
      spec: { policyName: name, validationActions: ["Deny"], ...spec },
    });
  };
  policy("diff-maps", {
    matchConstraints: about("", ["configmaps"], ["CREATE", "UPDATE"]),
    matchConditions: [{ name: "wanted", expression: "!request.name.startsWith('free')" }],
    variables: [
      { name: "count", expression: "has(object.data) ? size(object.data) : 0" },
      { name: "many", expression: "variables.count > 2" },
    ],
    validations: [
      { expression: "!variables.many", message: "at most two entries" },
      {
        expression: "variables.count != 1",
        messageExpression: "'not one, but ' + string(variables.count) + ' in ' + request.namespace",
        reason: "Forbidden",
      },
      { expression: "!has(object.data) || object.data.all(k, object.data[k] != 'bad')" },
      { expression: "object.metadata.labels['needed'] == 'yes'", reason: "RequestEntityTooLarge" },
    ],
  });
  bind("diff-maps", {});
  policy("diff-secrets", {
    matchConstraints: about("", ["secrets"]),
    validations: [{ expression: "object == null || object.type == 'Opaque'", message: "plain ones only" }],
  });
  bind("diff-secrets", { validationActions: ["Warn", "Audit"] });
  policy("diff-accounts", {
    failurePolicy: "Ignore",
    matchConstraints: about("", ["serviceaccounts"]),
    validations: [{ expression: "object.nothing.there == 1" }],
  });
  bind("diff-accounts", {});
  policy("diff-services", {
    matchConstraints: about("", ["services"], ["DELETE", "UPDATE"]),
    validations: [{ expression: "oldObject.spec.ports[0].port != 81", message: "81 stays" }],
  });
  bind("diff-services", {});
  const maps = `${core}/configmaps`;
  const good = { needed: "yes" };
  s.post(maps, configMap("three", { a: "1", b: "2", c: "3" }, good))
    .post(maps, configMap("one", { a: "1" }, good))
    .post(maps, configMap("bad", { a: "1", b: "bad" }, good))
    .post(maps, configMap("unlabelled", { a: "1", b: "2" }, { other: "x" }))
    .post(maps, configMap("two", { a: "1", b: "2" }, good))
    .post(maps, configMap("free", { a: "1" }));
  s.merge(`${maps}/two`, { data: { c: "3" } })
    .apply(`${maps}/two?fieldManager=m`, configMap("two", { c: "3" }))
    .merge(`${maps}/two`, { data: { a: "2" } })
    .delete(`${maps}/two`);
  s.post(`${core}/secrets`, { ...object("v1", "Secret", "s"), type: "example.com/x" });
  s.post(`${core}/serviceaccounts`, object("v1", "ServiceAccount", "a"));
  const service = (name: string, port: number): object =>
    object("v1", "Service", name, { spec: { clusterIP: "None", ports: [{ port }] } });
  s.post(`${core}/services`, service("s81", 81)).post(`${core}/services`, service("s82", 82));
  s.delete(`${core}/services/s81`).delete(`${core}/services/s82`);
  s.merge(`${core}/services/s81`, { spec: { ports: [{ port: 82 }] } });
  for (const name of ["maps", "secrets", "accounts", "services"])
    s.delete(`${registration}/validatingadmissionpolicybindings/diff-${name}`);
  return s;
}

export function mutations(): Script {
  const { script: s, core } = inNamespace("diff-mutations");
  const change = (name: string, spec: object): void => {
    const constraints = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "diff-mutations" } } };
    s.send("POST", `${registration}/mutatingadmissionpolicies?fieldManager=x`, {
      ...object("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", name),
      spec: {
        reinvocationPolicy: "Never",
        ...spec,
        matchConstraints: { ...constraints, ...about("", [name.slice(9)]), ...constraints },
      },
    });
    s.send("POST", `${registration}/mutatingadmissionpolicybindings?fieldManager=x`, {
      ...object("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", name),
      spec: { policyName: name },
    });
  };
  const apply = (expression: string): object => ({
    patchType: "ApplyConfiguration",
    applyConfiguration: { expression },
  });
  const patch = (expression: string): object => ({ patchType: "JSONPatch", jsonPatch: { expression } });
  change("mutation-configmaps", {
    mutations: [
      apply('Object{metadata: Object.metadata{labels: {"by": "policy"}}}'),
      patch('[JSONPatch{op: "add", path: "/data/seen", value: object.metadata.labels["by"]}]'),
    ],
  });
  change("mutation-services", {
    mutations: [
      apply(
        "Object{spec: Object.spec{sessionAffinity: 'ClientIP', ports: [Object.spec.ports{port: 81, protocol: 'TCP', name: 'b'}]}}",
      ),
    ],
  });
  change("mutation-secrets", { mutations: [patch('[JSONPatch{op: "replace", path: "/nothing/there", value: 1}]')] });
  s.post(`${core}/configmaps`, configMap("a", { x: "y" }));
  s.post(
    `${core}/services`,
    object("v1", "Service", "s", { spec: { clusterIP: "None", ports: [{ port: 80, name: "a" }] } }),
  );
  s.post(`${core}/secrets`, object("v1", "Secret", "s"));
  for (const name of ["configmaps", "services", "secrets"])
    s.delete(`${registration}/mutatingadmissionpolicybindings/mutation-${name}`);
  return s;
}

/** Errors of an expression are reported when it is written. */
export function expressions(): Script {
  const { script: s } = inNamespace("diff-expressions");
  const matchConstraints = about("", ["configmaps"]);
  const policy = (name: string, spec: object): object => ({
    ...object("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", name),
    spec: { matchConstraints, ...spec },
  });
  const faults = [
    { expression: "nope == 1" },
    { expression: "1 + 1" },
    { expression: "true", messageExpression: "1" },
    { expression: "params.x" },
    { expression: "variables.zz" },
    { expression: "object.spec.unknownfn()" },
    { expression: "size(object.x) > 'a'" },
    { expression: "object.spec" },
    { expression: "request.nothing" },
    { expression: "request.name == 1" },
    { expression: "true", messageExpression: "string(authorizer.path('/x').check('get').allowed())" },
  ];
  const path = `${registration}/validatingadmissionpolicies?dryRun=All`;
  for (const validation of faults) s.send("POST", path, policy("wrong", { validations: [validation] }));
  const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
  s.send("POST", path, policy("with-params", { paramKind, validations: [{ expression: "params.data.x == 'y'" }] }));
  s.send(
    "POST",
    path,
    policy("several", {
      matchConditions: [
        { name: "a", expression: "'x'" },
        { name: "b", expression: "variables.a" },
      ],
      variables: [
        { name: "a", expression: "nope" },
        { name: "b", expression: "variables.a > 1 && variables.b > 1" },
      ],
      validations: [{ expression: "variables.a > 1 && authorizer.path('/x').check('get').allowed()" }],
      auditAnnotations: [{ key: "k", valueExpression: "1" }],
    }),
  );
  const mutate = (mutation: object): object => ({
    ...object("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", "wrong"),
    spec: {
      matchConstraints: about("", ["configmaps"], ["CREATE"]),
      reinvocationPolicy: "Never",
      mutations: [mutation],
    },
  });
  const mutating = `${registration}/mutatingadmissionpolicies?dryRun=All`;
  s.send("POST", mutating, mutate({ patchType: "ApplyConfiguration", applyConfiguration: { expression: "1" } }));
  s.send("POST", mutating, mutate({ patchType: "JSONPatch", jsonPatch: { expression: "'x'" } }));
  const patch = '[JSONPatch{op: "add", path: "/x", value: "y"}]';
  s.send("POST", mutating, mutate({ patchType: "JSONPatch", jsonPatch: { expression: patch } }));
  return s;
}

/** Nobody listens at the addresses that they name. */
export function unreachable(): Script {
  const { script: s, core } = inNamespace("diff-webhooks");
  const webhook = (name: string, resource: string, more: object = {}): object => ({
    name: `${name}.example.com`,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    clientConfig: { url: "https://127.0.0.1:1/hook" },
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "diff-webhooks" } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: [resource] }],
    ...more,
  });
  const configure = (kind: "Validating" | "Mutating", ...webhooks: readonly object[]): void => {
    const path = `${registration}/${kind.toLowerCase()}webhookconfigurations?fieldManager=x`;
    s.send("POST", path, {
      ...object("admissionregistration.k8s.io/v1", `${kind}WebhookConfiguration`, "diff-hooks"),
      webhooks,
    });
  };
  const condition = (expression: string): object => ({ matchConditions: [{ name: "c", expression }] });
  configure(
    "Validating",
    webhook("maps", "configmaps", condition("object == null || object.metadata.name != 'free'")),
    webhook("secrets", "secrets", { failurePolicy: "Ignore" }),
    webhook("accounts", "serviceaccounts", { sideEffects: "NoneOnDryRun", ...condition("object.nothing == 1") }),
    webhook("services", "services", { clientConfig: { service: { namespace: "diff-webhooks", name: "none" } } }),
  );
  configure("Mutating", webhook("templates", "podtemplates"));
  s.post(`${core}/configmaps`, configMap("a")).post(`${core}/configmaps`, configMap("free"));
  s.delete(`${core}/configmaps/free`);
  s.post(`${core}/secrets`, object("v1", "Secret", "s"));
  s.post(`${core}/serviceaccounts`, object("v1", "ServiceAccount", "a"));
  s.post(`${core}/services`, object("v1", "Service", "s", { spec: { clusterIP: "None" } }));
  s.post(`${core}/podtemplates`, {
    ...object("v1", "PodTemplate", "t"),
    template: { spec: { containers: [{ name: "c", image: "i" }] } },
  });
  s.delete(`${registration}/validatingwebhookconfigurations/diff-hooks`);
  s.delete(`${registration}/mutatingwebhookconfigurations/diff-hooks`);
  s.delete(`${core}/configmaps/free`);
  return s;
}
