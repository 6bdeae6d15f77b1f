/**
 * Scripts about the objects that a server creates, and the kinds that configure the server: API services, policies,
 * address ranges, services.
 */
import { inNamespace, object, Script, table } from "../script.js";

/** Objects that are there before anybody asks. */
export function bootstrapped(): Script {
  const s = new Script();
  for (const path of [
    "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    "/apis/apiregistration.k8s.io/v1/apiservices",
    "/apis/networking.k8s.io/v1/servicecidrs",
    "/apis/networking.k8s.io/v1/ipaddresses",
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    "/api/v1/namespaces",
    "/api/v1/services",
    "/api/v1/namespaces/default/endpoints",
    "/apis/discovery.k8s.io/v1/endpointslices",
    "/api/v1/configmaps?fieldSelector=metadata.name%3Dkube-apiserver-legacy-service-account-token-tracking",
  ]) {
    s.get(path, { accept: table }).get(path);
  }
  return s;
}

/** Families, addresses and ports of services on a cluster with one family. */
export function services(): Script {
  const { script: s, core } = inNamespace("diff-services");
  const path = `${core}/services`;
  const service = (name: string, spec: object = {}): object =>
    object("v1", "Service", name, { spec: { ports: [{ port: 80 }], ...spec } });
  const addresses = "/apis/networking.k8s.io/v1/ipaddresses";
  // Addresses that no server assigns by itself: earlier scripts have left services with assigned ones. Each step has
  // its own, because the real server repairs addresses by two caches that may lag apart, and may so bring one back that
  // was given up a moment ago.
  s.post(path, service("fixed", { clusterIP: "10.0.0.107" }))
    .get(`${addresses}/10.0.0.107`)
    .get(`${addresses}/10.0.0.107`, { accept: table })
    .post(path, service("taken", { clusterIP: "10.0.0.107" }))
    .post(path, service("outside", { clusterIP: "10.9.0.1" }))
    .delete(`${path}/fixed`)
    .get(`${addresses}/10.0.0.107`)
    .post(path, service("changing", { clusterIP: "10.0.0.108" }))
    .merge(`${path}/changing`, { spec: { type: "ExternalName", externalName: "a.example.com" } })
    .get(`${addresses}/10.0.0.108`)
    // the repair may see this address before the service that has it, and remove it: it is not read
    .merge(`${path}/changing`, { spec: { type: "ClusterIP", externalName: null, clusterIP: "10.0.0.109" } })
    .post(`${path}?dryRun=All`, service("dry", { clusterIP: "10.0.0.110" }))
    .get(`${addresses}/10.0.0.110`);
  s.post(
    addresses,
    object("networking.k8s.io/v1", "IPAddress", "10.0.0.111", {
      spec: { parentRef: { resource: "services", namespace: "x", name: "y" } },
    }),
  )
    .post(path, service("held", { clusterIP: "10.0.0.111" }))
    .merge(`${addresses}/10.0.0.111`, { spec: { parentRef: { name: "z" } } })
    .delete(`${addresses}/10.0.0.111`)
    .post(addresses, object("networking.k8s.io/v1", "IPAddress", "not-an-ip", { spec: {} }))
    .post(
      addresses,
      object("networking.k8s.io/v1", "IPAddress", "10.0.07.1", { spec: { parentRef: { resource: "a/b" } } }),
    )
    .post(
      addresses,
      object("networking.k8s.io/v1", "IPAddress", "2001:DB8::1", {
        spec: { parentRef: { resource: "services", name: "x" } },
      }),
    );
  for (const [name, spec] of [
    ["prefer", { ipFamilyPolicy: "PreferDualStack" }],
    ["require", { ipFamilyPolicy: "RequireDualStack" }],
    ["six", { ipFamilies: ["IPv6"] }],
    ["both", { ipFamilies: ["IPv4", "IPv6"] }],
    ["both-prefer", { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "PreferDualStack" }],
    ["headless", { clusterIP: "None" }],
    ["headless-selected", { clusterIP: "None", selector: { a: "b" } }],
    ["headless-single", { clusterIP: "None", ipFamilyPolicy: "SingleStack" }],
    ["headless-six", { clusterIP: "None", ipFamilies: ["IPv6"] }],
    ["headless-require", { clusterIP: "None", selector: { a: "b" }, ipFamilyPolicy: "RequireDualStack" }],
    ["address-six", { clusterIP: "2001:db8::1" }],
    ["two", { clusterIP: "10.0.0.120", clusterIPs: ["10.0.0.120", "10.0.0.121"] }],
    ["two-families", { clusterIP: "10.0.0.122", clusterIPs: ["10.0.0.122", "2001:db8::2"] }],
    ["nonsense", { ipFamilyPolicy: "Nonsense", ipFamilies: ["IPv5"] }],
    ["external", { type: "ExternalName", externalName: "x.example.com", ports: null }],
    // a port that no server assigns by itself
    ["node", { type: "NodePort", ports: [{ port: 80, nodePort: 30_011 }] }],
    ["node-taken", { type: "NodePort", ports: [{ port: 80, nodePort: 30_011 }] }],
    ["node-outside", { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] }],
    ["balanced", { type: "LoadBalancer", externalTrafficPolicy: "Local" }],
    ["balanced-portless", { type: "LoadBalancer", allocateLoadBalancerNodePorts: false }],
    ["affine", { sessionAffinity: "ClientIP" }],
    ["distributed", { trafficDistribution: "PreferClose" }],
    ["distributed-badly", { trafficDistribution: "Nonsense" }],
  ] as const) {
    s.post(path, service(name, spec)).get(`${path}/${name}`, { accept: table });
  }
  s.merge(`${path}/prefer`, { spec: { ipFamilyPolicy: "SingleStack" } })
    .merge(`${path}/prefer`, { spec: { ipFamilyPolicy: "RequireDualStack" } })
    .merge(`${path}/prefer`, { spec: { clusterIP: "10.0.0.130" } })
    .merge(`${path}/node`, { spec: { type: "ClusterIP" } })
    .merge(`${path}/balanced/status`, { status: { loadBalancer: { ingress: [{ ip: "192.0.2.9" }] } } })
    .delete(path);
  const ranges = "/apis/networking.k8s.io/v1/servicecidrs";
  for (const [name, cidrs] of [
    ["empty", []],
    ["many", ["10.1.0.0/16", "10.2.0.0/16", "10.3.0.0/16"]],
    ["same", ["10.1.0.0/16", "10.2.0.0/16"]],
    ["wrong", ["10.1.0.0", "x/8"]],
    ["bits", ["10.1.0.1/16"]],
    ["fine", ["10.1.0.0/16"]],
  ] as const) {
    s.post(ranges, object("networking.k8s.io/v1", "ServiceCIDR", `diff-${name}`, { spec: { cidrs } }));
  }
  s.get(`${ranges}/diff-fine`, { accept: table })
    .merge(`${ranges}/diff-fine`, { spec: { cidrs: ["10.4.0.0/16"] } })
    .merge(`${ranges}/diff-fine`, { spec: { cidrs: ["10.1.0.0/16", "2001:db8::/64"] } })
    .merge(`${ranges}/diff-fine`, { spec: { cidrs: [] } })
    .merge(`${ranges}/diff-fine/status`, {
      status: {
        conditions: [
          { type: "Ready", status: "True", reason: "R", message: "m", lastTransitionTime: "2026-01-01T00:00:00Z" },
        ],
      },
    })
    .delete(`${ranges}/diff-fine`);
  return s;
}

export function configuration(): Script {
  const s = new Script();
  const apis = "/apis/apiregistration.k8s.io/v1/apiservices";
  const api = (name: string, spec: object): object => object("apiregistration.k8s.io/v1", "APIService", name, { spec });
  const local = { group: "diff.example.com", version: "v1", groupPriorityMinimum: 100, versionPriority: 10 };
  s.post(apis, api("wrong", local))
    .post(apis, api("v1.diff.example.com", { ...local, groupPriorityMinimum: 0, versionPriority: 5000 }))
    .post(apis, api("v1.diff.example.com", { ...local, caBundle: "YQ==", insecureSkipTLSVerify: true }))
    .post(apis, api("v2.", { version: "v2", groupPriorityMinimum: 1, versionPriority: 1 }))
    .post(apis, api("v1.diff.example.com", { ...local, service: {} }))
    .post(
      apis,
      api("v1.diff.example.com", {
        ...local,
        insecureSkipTLSVerify: true,
        caBundle: "YQ==",
        service: { name: "n", namespace: "s", port: 70_000 },
      }),
    );
  const webhooks = "/apis/admissionregistration.k8s.io/v1";
  const kind = (name: string, of: string, spec: object): object =>
    object("admissionregistration.k8s.io/v1", of, name, { spec });
  const rules = [
    { apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["things"] },
  ];
  const good = { matchConstraints: { resourceRules: rules }, validations: [{ expression: "true" }] };
  const policies = `${webhooks}/validatingadmissionpolicies`;
  for (const [name, spec] of [
    ["empty", {}],
    ["good", good],
    ["no-validations", { ...good, validations: [] }],
    [
      "blank",
      { ...good, validations: [{ expression: " ", message: " ", messageExpression: " ", reason: "Nonsense" }] },
    ],
    ["lines", { ...good, validations: [{ expression: "true", message: "a\nb" }] }],
    ["policy", { ...good, failurePolicy: "Maybe" }],
    ["params", { ...good, paramKind: { apiVersion: "a/b/c", kind: "" } }],
    ["params2", { ...good, paramKind: { apiVersion: "Bad_/v1", kind: "B@d" } }],
    [
      "rules",
      {
        ...good,
        matchConstraints: {
          resourceRules: [
            {
              operations: ["*", "CREATE"],
              apiGroups: [],
              apiVersions: [""],
              resources: ["a/b", "*"],
              resourceNames: ["x", "x", "a/b"],
              scope: "Near",
            },
          ],
        },
      },
    ],
    [
      "constraints",
      { ...good, matchConstraints: { matchPolicy: "Nearly", namespaceSelector: { matchLabels: { "bad key": "v" } } } },
    ],
    [
      "conditions",
      {
        ...good,
        matchConditions: [
          { name: "", expression: "" },
          { name: "a", expression: "true" },
          { name: "a", expression: "true" },
        ],
      },
    ],
    [
      "variables",
      {
        ...good,
        variables: [
          { name: "", expression: "" },
          { name: "1a", expression: "true" },
        ],
      },
    ],
    [
      "audits",
      {
        ...good,
        auditAnnotations: [
          { key: "k", valueExpression: "'x'" },
          { key: "k", valueExpression: " " },
          { key: "b@d", valueExpression: "'x'" },
        ],
      },
    ],
  ] as const) {
    s.post(policies, kind(`diff-${name}`, "ValidatingAdmissionPolicy", spec));
  }
  s.get(`${policies}/diff-good`, { accept: table })
    .get(`${policies}/diff-good`)
    .put(`${policies}/diff-good`, kind("diff-good", "ValidatingAdmissionPolicy", good))
    .merge(`${policies}/diff-good`, { spec: { failurePolicy: "Ignore" } })
    .merge(`${policies}/diff-good/status`, { status: { observedGeneration: 1 } })
    .delete(`${policies}/diff-good`);
  const bindings = `${webhooks}/validatingadmissionpolicybindings`;
  for (const [name, spec] of [
    ["empty", {}],
    ["good", { policyName: "diff-good", validationActions: ["Deny"] }],
    ["actions", { policyName: "Bad_", validationActions: ["Deny", "Warn", "Warn", "Shout"] }],
    ["params", { policyName: "p", validationActions: ["Audit"], paramRef: { name: "a/b", selector: {} } }],
    ["params2", { policyName: "p", validationActions: ["Audit"], paramRef: { parameterNotFoundAction: "Maybe" } }],
    ["match", { policyName: "p", validationActions: ["Audit"], matchResources: { resourceRules: rules } }],
  ] as const) {
    s.post(bindings, kind(`diff-${name}`, "ValidatingAdmissionPolicyBinding", spec));
  }
  s.get(`${bindings}/diff-good`, { accept: table }).delete(`${bindings}/diff-good`).delete(`${bindings}/diff-match`);
  const mutating = `${webhooks}/mutatingadmissionpolicies`;
  const apply = { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } };
  const change = { matchConstraints: { resourceRules: rules }, reinvocationPolicy: "Never", mutations: [apply] };
  for (const [name, spec] of [
    ["empty", {}],
    ["good", change],
    ["none", { ...change, mutations: [] }],
    ["both", { ...change, mutations: [{ ...apply, jsonPatch: { expression: "[]" } }] }],
    ["missing", { ...change, mutations: [{ patchType: "JSONPatch" }, { patchType: "Nonsense" }, {}] }],
    ["again", { ...change, reinvocationPolicy: "Often" }],
    ["operations", { ...change, matchConstraints: { resourceRules: [{ ...rules[0], operations: ["DELETE"] }] } }],
  ] as const) {
    s.post(mutating, kind(`diff-${name}`, "MutatingAdmissionPolicy", spec));
  }
  s.get(`${mutating}/diff-good`, { accept: table }).delete(`${mutating}/diff-good`);
  const mutatingBindings = `${webhooks}/mutatingadmissionpolicybindings`;
  s.post(mutatingBindings, kind("diff-empty", "MutatingAdmissionPolicyBinding", {}))
    .post(mutatingBindings, kind("diff-good", "MutatingAdmissionPolicyBinding", { policyName: "diff-good" }))
    .get(`${mutatingBindings}/diff-good`, { accept: table })
    .delete(`${mutatingBindings}/diff-good`);
  return s;
}
