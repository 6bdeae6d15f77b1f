/** Expressions of policies and match conditions: both servers must accept or refuse them with the same words. */

export interface PolicyCase {
  readonly path: string;
  readonly body: object;
  readonly name: string;
}

const registration = "/apis/admissionregistration.k8s.io/v1";
const rule = { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] };
const paramKind = { apiVersion: "v1", kind: "ConfigMap" };

const validating = (spec: object): object => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "cel-case" },
  spec: { failurePolicy: "Fail", matchConstraints: { resourceRules: [rule] }, ...spec },
});

const validationCase = (expression: string, spec: object = {}): PolicyCase => ({
  name: expression,
  path: `${registration}/validatingadmissionpolicies?dryRun=All`,
  body: validating({ validations: [{ expression }], ...spec }),
});

const conditionCase = (expression: string): PolicyCase => ({
  name: `condition ${expression}`,
  path: `${registration}/validatingwebhookconfigurations?dryRun=All`,
  body: {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "cel-case" },
    webhooks: [
      {
        name: "hook.example.com",
        rules: [{ ...rule, scope: "*" }],
        clientConfig: { url: "https://127.0.0.1:1/hook" },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        matchConditions: [{ name: "one", expression }],
      },
    ],
  },
});

const validations: readonly string[] = [
  "object.metadata.name == 'a'",
  "object.spec.replicas <= 5 && has(object.metadata.labels)",
  "object.metadata.labels.all(k, v, k != v)",
  "object.?metadata.?labels[?'app'].orValue('') == 'x'",
  "object.data.size() > 0 ? object.data.transformMap(k, v, v + 'x').size() > 0 : true",
  "oldObject == null || oldObject.metadata.name == object.metadata.name",
  "request.operation == 'CREATE' && request.userInfo.groups.exists(g, g == 'a')",
  "request.kind.group == '' && request.resource.resource == 'x' && request.dryRun",
  "request.foo == 1",
  "request.operation == 1",
  "request.userInfo.extra['a'].size() == 0",
  "namespaceObject.metadata.labels['a'] == 'b' && namespaceObject.status.phase == 'Active'",
  "namespaceObject.metadata.foo == ''",
  "namespaceObject.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')",
  "authorizer.group('').resource('pods').namespace('a').check('get').allowed()",
  "authorizer.requestResource.check('create').allowed()",
  "authorizer.path('/healthz').check('get').reason() == ''",
  "authorizer.serviceAccount('a', 'b').group('apps').resource('deployments').subresource('status').name('x').check('update').errored()",
  "authorizer.group('').resource('pods').fieldSelector('a=b').labelSelector('c=d').check('list').allowed()",
  "authorizer.foo()",
  "authorizer.group('').check('get')",
  "params.data.a == 'x'",
  "variables.a == 1",
  "object.metadata.name",
  "object",
  "1",
  "'a'",
  "[true]",
  "null",
  "dyn(true)",
  "object.metadata.name == ",
  "foo == 1",
  "object.metadata.name.foo()",
  "quantity(object.spec.size).isGreaterThan(quantity('1Gi'))",
  "semver(object.spec.version).major() >= 1 && !format.dns1123Label().validate(object.metadata.name).hasValue()",
  "ip(object.spec.ip).isLoopback() || cidr('10.0.0.0/8').containsIP(object.spec.ip)",
  "[1, 2, 3].sortBy(x, -x)[0] == 3 && lists.range(3).size() == 3",
  "Object{spec: Object.spec{replicas: 1}} == object",
  "JSONPatch{op: 'add', path: '/a'} == object",
  "object.metadata.name.matches('[')",
  "duration('x') > duration('1s')",
  "int('x') == 1",
  "true",
];

const mutationCase = (patchType: "JSONPatch" | "ApplyConfiguration", expression: string): PolicyCase => ({
  name: `${patchType} ${expression}`,
  path: `${registration}/mutatingadmissionpolicies?dryRun=All`,
  body: {
    ...validating({
      reinvocationPolicy: "Never",
      mutations: [{ patchType, [patchType === "JSONPatch" ? "jsonPatch" : "applyConfiguration"]: { expression } }],
    }),
    kind: "MutatingAdmissionPolicy",
  },
});

const mutations: readonly (readonly ["JSONPatch" | "ApplyConfiguration", string])[] = [
  ["ApplyConfiguration", "Object{spec: Object.spec{replicas: 1}}"],
  ["ApplyConfiguration", "Object{metadata: Object.metadata{labels: {'a': object.metadata.name}}}"],
  ["ApplyConfiguration", "Object{?metadata: object.?metadata}"],
  ["ApplyConfiguration", "has(object.spec) ? Object{} : Object{spec: Object.spec{}}"],
  ["ApplyConfiguration", "Object.spec{replicas: 1}"],
  ["ApplyConfiguration", "{'spec': 1}"],
  ["ApplyConfiguration", "object"],
  ["ApplyConfiguration", "Foo{a: 1}"],
  ["ApplyConfiguration", " foo == "],
  ["JSONPatch", "[JSONPatch{op: 'add', path: '/metadata/labels/a', value: 'b'}]"],
  ["JSONPatch", "[JSONPatch{op: 'copy', from: '/a', path: '/' + jsonpatch.escapeKey('b/c')}]"],
  ["JSONPatch", "object.spec.list.map(x, JSONPatch{op: 'test', path: '/x', value: x})"],
  ["JSONPatch", "[JSONPatch{op: 1}]"],
  ["JSONPatch", "JSONPatch{op: 'add'}"],
  ["JSONPatch", "[]"],
  ["JSONPatch", "has(object.spec) ? [JSONPatch{op: 'remove', path: '/spec'}] : []"],
  ["JSONPatch", "[{'op': 'add'}]"],
  ["JSONPatch", "[JSONPatch{op: 'add', path: '/spec', value: Object.spec{a: [1], b: {'c': 1}}}]"],
];

const withVariables: readonly (readonly [expression: string, variables: readonly object[]])[] = [
  ["variables.a == 1", [{ name: "a", expression: "1" }]],
  ["variables.a == 'x'", [{ name: "a", expression: "1" }]],
  [
    "variables.b > 1",
    [
      { name: "a", expression: "object.spec.n" },
      { name: "b", expression: "variables.a + 1" },
    ],
  ],
  [
    "variables.b == 1",
    [
      { name: "a", expression: "variables.b" },
      { name: "b", expression: "1" },
    ],
  ],
  ["variables.a == 1", [{ name: "a", expression: " foo == " }]],
  ["variables.c == 1", [{ name: "a", expression: "1" }]],
  ["variables.a.exists(x, x == 'y')", [{ name: "a", expression: "object.spec.list.map(x, string(x))" }]],
  ["variables.a.exists(x, x == 1)", [{ name: "a", expression: "['x'].map(x, x + 'y')" }]],
  ["variables.a", [{ name: "a", expression: "foo" }]],
  ["variables.a.foo == 1", [{ name: "a", expression: "{'foo': 1}" }]],
  ["variables.a.k == 'x'", [{ name: "a", expression: "{'foo': 1}" }]],
  ["variables.a.hasValue()", [{ name: "a", expression: "object.?spec" }]],
];

export const policyCases: readonly PolicyCase[] = [
  ...validations.map((expression) => validationCase(expression)),
  ...["params.data.a == 'x'", "params == null", "params.data.all(k, k != '')"].map((expression) =>
    validationCase(expression, { paramKind }),
  ),
  ...withVariables.map(([expression, variables]) => validationCase(expression, { variables })),
  ...[
    "'x' + object.metadata.name",
    " foo == ",
    "int('x')",
    "1",
    "string(params.data.a)",
    "'%s'.format([object.metadata.name])",
  ].map((messageExpression) => validationCase("true", { validations: [{ expression: "true", messageExpression }] })),
  ...[
    "'x'",
    "null",
    " foo == ",
    "1",
    "object.metadata.name",
    "object.metadata.?name.orValue('')",
    "string(object.metadata.name)",
  ].map((valueExpression) => validationCase("true", { auditAnnotations: [{ key: "a", valueExpression }] })),
  ...["request.operation == 'CREATE'", "variables.a == 1", "params.a == 1", "1", " foo == "].map((expression) =>
    validationCase("true", { matchConditions: [{ name: "a", expression }] }),
  ),
  ...[
    "request.operation == 'CREATE'",
    "object.metadata.labels['a'] == 'b'",
    "params.a == 1",
    "variables.a == 1",
    "namespaceObject.metadata.name == 'a'",
    "!authorizer.group('').resource('pods').check('get').allowed()",
    "object.metadata.name",
    "request.nope",
    "[1, 2].existsOne(i, x, i == x)",
    "true &&",
    " foo == ",
    "int('x') == 1",
  ].map(conditionCase),
  ...mutations.map(([patchType, expression]) => mutationCase(patchType, expression)),
];
