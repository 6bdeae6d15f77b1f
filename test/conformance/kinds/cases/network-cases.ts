/** The kinds of networking and of access, valid and not. */
import type { Cases, Change } from "../differential.js";

const backend = { service: { name: "web", port: { number: 80 } } };
const path = { path: "/", pathType: "Prefix", backend };

const ingresses: Readonly<Record<string, Change>> = {
  "a rule": { "spec.rules": [{ host: "a.example.com", http: { paths: [path] } }] },
  "a wildcard": { "spec.rules": [{ host: "*.example.com", http: { paths: [path] } }] },
  "nothing said": { spec: {} },
  "bad hosts": {
    "spec.rules": [
      { host: "A_b", http: { paths: [path] } },
      { host: "10.0.0.1", http: { paths: [path] } },
      { host: "*.A", http: { paths: [path] } },
      { host: "a.*.b", http: { paths: [path] } },
    ],
  },
  "no paths": { "spec.rules": [{ http: { paths: [] } }, { http: {} }] },
  "bad paths": {
    "spec.rules": [
      {
        http: {
          paths: [
            { path: "a", pathType: "Prefix", backend },
            { path: "/a//b", pathType: "Exact", backend },
            { path: "/a/./b/", pathType: "Prefix", backend },
            { path: "/a/..", pathType: "Prefix", backend },
            { path: "/a%2fb%2F", pathType: "Prefix", backend },
            { path: "/a/.", pathType: "Prefix", backend },
            { path: "/", backend },
            { path: "/", pathType: "Odd", backend },
            { path: "", pathType: "ImplementationSpecific", backend },
            { path: "x", pathType: "ImplementationSpecific", backend },
            { path: "", pathType: "Exact", backend },
          ],
        },
      },
    ],
  },
  "bad backends": {
    "spec.rules": [
      {
        http: {
          paths: [
            { path: "/a", pathType: "Prefix", backend: {} },
            { path: "/b", pathType: "Prefix", backend: { service: { name: "" } } },
            { path: "/c", pathType: "Prefix", backend: { service: { name: "A", port: { number: 0 } } } },
            { path: "/d", pathType: "Prefix", backend: { service: { name: "a", port: { number: 70000 } } } },
            { path: "/e", pathType: "Prefix", backend: { service: { name: "a", port: { number: 7, name: "x" } } } },
            { path: "/f", pathType: "Prefix", backend: { service: { name: "a", port: { name: "A_b" } } } },
            { path: "/g", pathType: "Prefix", backend: { resource: { kind: "", name: "" } } },
            { path: "/h", pathType: "Prefix", backend: { resource: { apiGroup: "A", kind: "K%", name: "a/b" } } },
            { path: "/i", pathType: "Prefix", backend: { ...backend, resource: { kind: "K", name: "a" } } },
          ],
        },
      },
    ],
  },
  tls: { "spec.tls": [{ hosts: ["a.example.com", "*.example.com"], secretName: "a" }] },
  "bad tls": { "spec.tls": [{ hosts: ["A_b", "*.A", ""], secretName: "A" }] },
  "a class": { "spec.ingressClassName": "a" },
  "a bad class": { "spec.ingressClassName": "A" },
  "a class twice": { "spec.ingressClassName": "a", "metadata.annotations[kubernetes.io/ingress.class]": "a" },
  "an odd class by annotation": { "metadata.annotations[kubernetes.io/ingress.class]": "A_b" },
  "a bad name": { "metadata.name": "A" },
};

const policyPeers = [
  { podSelector: { matchLabels: { a: "b" } } },
  { namespaceSelector: {} },
  { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } },
];

const networkPolicies: Readonly<Record<string, Change>> = {
  "nothing said": { spec: { podSelector: {} } },
  "egress said": { "spec.egress": [{ ports: [{ port: 53 }] }] },
  "all that may be said": {
    "spec.ingress": [{ from: policyPeers, ports: [{ port: 80 }, { port: "http", protocol: "UDP" }, {}] }],
    "spec.egress": [{ to: policyPeers, ports: [{ port: 80, endPort: 90 }] }],
    "spec.policyTypes": ["Ingress", "Egress"],
  },
  "bad selectors": {
    "spec.podSelector": { matchLabels: { "a b": "c d" }, matchExpressions: [{ key: "a", operator: "Odd" }] },
    "spec.ingress": [
      {
        from: [{ podSelector: { matchLabels: { "a b": "c d" } }, namespaceSelector: { matchLabels: { "e f": "g" } } }],
      },
    ],
  },
  "bad ports": {
    "spec.ingress": [
      {
        ports: [
          { port: 0 },
          { port: "A_b" },
          { port: 80, protocol: "ICMP" },
          { port: 80, endPort: 70 },
          { port: "a", endPort: 70 },
          { endPort: 70 },
          { port: 80, endPort: 70000 },
          { port: "" },
        ],
      },
    ],
  },
  "bad peers": {
    "spec.egress": [
      {
        to: [
          {},
          { podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } },
          { ipBlock: { cidr: "" } },
          { ipBlock: { cidr: "x" } },
          { ipBlock: { cidr: "10.0.0.1/8" } },
          { ipBlock: { cidr: "10.0.0.0/8", except: ["x", "11.0.0.0/16", "10.0.0.0/8", "10.0.0.0/7", "10.1.0.1/16"] } },
          { ipBlock: { cidr: "2001:db8::/32", except: ["2001:db8:1::/48", "10.0.0.0/8"] } },
        ],
      },
    ],
  },
  "odd types": { "spec.policyTypes": ["Odd", "Ingress"] },
  "many types": { "spec.policyTypes": ["Ingress", "Egress", "Ingress"] },
};

const slices: Readonly<Record<string, Change>> = {
  "no type": { addressType: undefined },
  "an odd type": { addressType: "Odd" },
  "no endpoints": { endpoints: undefined },
  "bad endpoints": {
    endpoints: [
      { addresses: [] },
      { addresses: ["x", "127.0.0.1", "10.0.0.01", "::1", "169.254.0.1", "0.0.0.0", "224.0.0.1"] },
      { addresses: ["10.0.0.2"], nodeName: "A", hostname: "A_b", deprecatedTopology: { "a b": "c d" } },
      { addresses: ["10.0.0.3"], hints: { forZones: [{ name: "" }, { name: "a b" }, { name: "z" }, { name: "z" }] } },
      { addresses: ["10.0.0.4"], hints: { forNodes: [{ name: "" }, { name: "A" }, { name: "z" }, { name: "z" }] } },
      { addresses: ["10.0.0.5"], deprecatedTopology: { "kubernetes.io/hostname": "a" }, zone: "z" },
    ],
  },
  "six of them": { addressType: "IPv6", endpoints: [{ addresses: ["2001:db8::1"] }] },
  "six of four": { addressType: "IPv6", endpoints: [{ addresses: ["10.0.0.1", "::1", "fe80::1", "2001:DB8::1"] }] },
  "by name": { addressType: "FQDN", endpoints: [{ addresses: ["example.com", "A_b", "example.com."] }] },
  "bad ports": {
    ports: [
      { name: "A_b", port: 0 },
      { name: "a", port: 70000, protocol: "Odd" },
      { name: "a", port: 80, appProtocol: "a b" },
      { name: "", port: 1 },
      { port: 2 },
    ],
  },
  "no ports": { ports: undefined },
  "a bad name": { "metadata.name": "A" },
  "many addresses": { endpoints: [{ addresses: Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`) }] },
  "many zones": {
    endpoints: [
      { addresses: ["10.0.0.1"], hints: { forZones: Array.from({ length: 9 }, (_, i) => ({ name: `z${i}` })) } },
    ],
  },
};

const rules = (rule: object): Change => ({ rules: [rule] });
const role: Readonly<Record<string, Change>> = {
  "nothing said": { rules: undefined },
  "no verbs": rules({ apiGroups: [""], resources: ["pods"] }),
  "no groups": rules({ resources: ["pods"], verbs: ["get"] }),
  "no resources": rules({ apiGroups: [""], verbs: ["get"] }),
  addresses: rules({ nonResourceURLs: ["/healthz"], verbs: ["get"] }),
  "addresses and resources": rules({
    nonResourceURLs: ["/healthz"],
    apiGroups: [""],
    resources: ["pods"],
    verbs: ["get"],
  }),
  names: rules({ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: ["a"] }),
  "a name as no kind else": { "metadata.name": "system:a:b" },
  "a bad name": { "metadata.name": "a/b" },
  "a name that is a way": { "metadata.name": ".." },
};

const account = { kind: "ServiceAccount", name: "a", namespace: "default" };
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
const bindings: Readonly<Record<string, Change>> = {
  "no subjects": { subjects: undefined },
  "all subjects": {
    subjects: [
      account,
      { kind: "User", name: "u" },
      { kind: "Group", name: "g", apiGroup: "rbac.authorization.k8s.io" },
    ],
  },
  "bad subjects": {
    subjects: [
      {},
      { kind: "ServiceAccount", name: "A_b" },
      { kind: "ServiceAccount", name: "", namespace: "x" },
      { kind: "ServiceAccount", name: "a", namespace: "x", apiGroup: "y" },
      { kind: "User", name: "u", apiGroup: "y" },
      { kind: "User", name: "" },
      { kind: "Group", name: "g", apiGroup: "y" },
      { kind: "Odd", name: "g" },
    ],
  },
  "no group of the role": { "roleRef.apiGroup": undefined },
  "an odd group": { "roleRef.apiGroup": "apps" },
  "an odd kind": { "roleRef.kind": "Odd" },
  "no role": { roleRef: undefined },
  "no name of the role": { "roleRef.name": undefined },
  "a bad name of the role": { "roleRef.name": "a/b" },
};
const bindingUpdates: Readonly<Record<string, Change>> = {
  "other subjects": { subjects: [account, account] },
  "another role": { "roleRef.name": "edit" },
  "bad subjects too": { subjects: [{}], "roleRef.name": "edit" },
};

const hook = {
  name: "a.example.com",
  clientConfig: { url: "https://example.com/a" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] }],
};
const hooks: Readonly<Record<string, Change>> = {
  "no hooks": { webhooks: undefined },
  "a service": { "webhooks[0].clientConfig": { service: { name: "a", namespace: "b", path: "/x" } } },
  "bad services": {
    webhooks: [
      { ...hook, name: "a.b.c", clientConfig: { service: { name: "", namespace: "" } } },
      { ...hook, name: "a.b.d", clientConfig: { service: { name: "a", namespace: "b", path: "x", port: 0 } } },
      { ...hook, name: "a.b.e", clientConfig: { service: { name: "a", namespace: "b", path: "/a//b", port: 70000 } } },
      { ...hook, name: "a.b.f", clientConfig: { service: { name: "a", namespace: "b", path: "/A_b" } } },
      { ...hook, name: "a.b.g", clientConfig: { service: { name: "a", namespace: "b", path: "/a/" } } },
    ],
  },
  "bad addresses": {
    webhooks: [
      { ...hook, name: "a.b.c", clientConfig: {} },
      { ...hook, name: "a.b.d", clientConfig: { url: "x", service: { name: "a", namespace: "b" } } },
      { ...hook, name: "a.b.e", clientConfig: { url: "http://a.b/c" } },
      { ...hook, name: "a.b.f", clientConfig: { url: "https://u@a.b/c?d#e" } },
      { ...hook, name: "a.b.g", clientConfig: { url: "https:///c" } },
    ],
  },
  "bad names": {
    webhooks: [
      { ...hook, name: "a" },
      { ...hook, name: "A.b.c" },
      { ...hook, name: "" },
    ],
  },
  "the same name": { webhooks: [hook, hook] },
  "bad rules": {
    "webhooks[0].rules": [
      { apiGroups: [], apiVersions: [], resources: [], operations: [] },
      { apiGroups: ["a", "*"], apiVersions: ["v1", "*"], resources: ["pods"], operations: ["CREATE", "*"] },
      { apiGroups: [""], apiVersions: [""], resources: [""], operations: ["ODD"] },
      { apiGroups: [""], apiVersions: ["v1"], resources: ["*", "a"], operations: ["CREATE"] },
      { apiGroups: [""], apiVersions: ["v1"], resources: ["*/*", "a", "a/*", "a/b", "*/b"], operations: ["CREATE"] },
      { apiGroups: [""], apiVersions: ["v1"], resources: ["a/*", "a/b", "*/b", "c/b"], operations: ["CREATE"] },
      { apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"], scope: "Odd" },
    ],
  },
  "odd words": {
    "webhooks[0].failurePolicy": "Odd",
    "webhooks[0].matchPolicy": "Odd",
    "webhooks[0].sideEffects": "Odd",
    "webhooks[0].timeoutSeconds": 31,
    "webhooks[0].admissionReviewVersions": ["v1", "v1", "A_b", "v3"],
  },
  "old side effects": { "webhooks[0].sideEffects": "Some", "webhooks[0].timeoutSeconds": 0 },
  "nothing required": { webhooks: [{ name: "a.b.c", clientConfig: { url: "https://a.b" } }] },
  "no known versions": { "webhooks[0].admissionReviewVersions": ["v7"] },
  "bad selectors": {
    "webhooks[0].namespaceSelector": { matchLabels: { "a b": "c" } },
    "webhooks[0].objectSelector": { matchExpressions: [{ key: "a", operator: "In" }] },
  },
  conditions: { "webhooks[0].matchConditions": [{ name: "a", expression: "true" }] },
  "bad conditions": {
    "webhooks[0].matchConditions": [
      { name: "", expression: "" },
      { name: "a b", expression: "true" },
      { name: "a", expression: "true" },
      { name: "a", expression: "true" },
    ],
  },
};

export const networkCases: readonly Cases[] = [
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    plural: "ingresses",
    base: { spec: { defaultBackend: backend } },
    create: ingresses,
    update: {
      "another backend": { "spec.defaultBackend.service.port": { name: "http" } },
      "a bad class": { "spec.ingressClassName": "A" },
      "no backend": { "spec.defaultBackend": undefined },
    },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    plural: "ingressclasses",
    clusterWide: true,
    base: { spec: { controller: "example.com/a", parameters: { kind: "K", name: "a" } } },
    create: {
      "no controller": { "spec.controller": undefined },
      "a bad controller": { "spec.controller": "a" },
      "another bad controller": { "spec.controller": "A_/b c" },
      "a long controller": { "spec.controller": `example.com/${"a".repeat(250)}` },
      "bad parameters": { "spec.parameters": { apiGroup: "A", kind: "", name: "" } },
      "bad names": { "spec.parameters": { apiGroup: "a", kind: "K%", name: "a/b" } },
      "an odd scope": { "spec.parameters.scope": "Odd" },
      "a namespace": { "spec.parameters.namespace": "a" },
      "in a namespace": { "spec.parameters.scope": "Namespace", "spec.parameters.namespace": "a" },
      "in no namespace": { "spec.parameters.scope": "Namespace" },
      "in a bad namespace": { "spec.parameters.scope": "Namespace", "spec.parameters.namespace": "A" },
      "no parameters": { "spec.parameters": undefined },
    },
    update: { "another controller": { "spec.controller": "example.com/b" }, others: { "spec.parameters.name": "b" } },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    plural: "networkpolicies",
    base: { spec: { podSelector: { matchLabels: { a: "b" } }, ingress: [{}] } },
    create: networkPolicies,
    update: {
      more: { "spec.egress": [{}], "spec.policyTypes": ["Egress"] },
      "bad selectors": { "spec.podSelector": { matchLabels: { "a b": "c" } } },
      "a bad block": { "spec.ingress": [{ from: [{ ipBlock: { cidr: "10.0.0.1/8" } }] }] },
    },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    plural: "endpointslices",
    base: { addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }], ports: [{ port: 80 }] },
    create: slices,
    update: {
      "another type": { addressType: "FQDN" },
      "bad ports": { "ports[0].port": 0 },
      more: { endpoints: [{ addresses: ["10.0.0.1"], nodeName: "a", conditions: { ready: true } }] },
    },
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    plural: "roles",
    base: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
    create: role,
    update: { "no verbs": { "rules[0].verbs": [] } },
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    plural: "clusterroles",
    clusterWide: true,
    base: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
    create: {
      ...role,
      aggregated: { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
      "aggregated from nothing": { aggregationRule: { clusterRoleSelectors: [] } },
      "badly aggregated": { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "a b": "c" } }] } },
    },
    update: { "no verbs": { "rules[0].verbs": [] } },
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    plural: "rolebindings",
    base: { subjects: [account], roleRef },
    create: bindings,
    update: bindingUpdates,
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    plural: "clusterrolebindings",
    clusterWide: true,
    base: { subjects: [account], roleRef },
    create: { ...bindings, "a role of a namespace": { "roleRef.kind": "Role" } },
    update: bindingUpdates,
  },
  ...["Mutating", "Validating"].map((how) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${how}WebhookConfiguration`,
    plural: `${how.toLowerCase()}webhookconfigurations`,
    clusterWide: true,
    base: { webhooks: [{ ...hook, namespaceSelector: { matchLabels: { never: "here" } } }] },
    create:
      how === "Mutating" ? { ...hooks, "an odd reinvocation": { "webhooks[0].reinvocationPolicy": "Odd" } } : hooks,
    update: {
      "old side effects": { "webhooks[0].sideEffects": "Some" },
      "no versions": { "webhooks[0].admissionReviewVersions": ["v7"] },
    },
  })),
];
