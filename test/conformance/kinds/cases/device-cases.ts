/** Cases of the kinds of resource.k8s.io: device classes, claims, their templates and slices. */
import type { Cases, Change } from "../differential.js";

const claim = { devices: { requests: [{ name: "a", exactly: { deviceClassName: "c.example.com" } }] } };

/** Selectors that compile, that do not, and that cost too much. */
const expressions: readonly string[] = [
  "true",
  " ",
  "1",
  "null",
  "dyn(true)",
  "device",
  "device.nope",
  "devices.driver == 'a'",
  "device == 1",
  "type(device)",
  "device.driver == 'a.example.com' && device.allowMultipleAllocations",
  "device.attributes",
  "device.attributes['a.example.com']",
  "device.attributes['a.example.com'].b",
  "device.attributes['a.example.com'].b.c",
  "device.attributes['a.example.com'].b + 1",
  "device.attributes['a.example.com'].b[0] == 1",
  "device.attributes['a.example.com'].b.startsWith('x') || device.attributes['a'].n > 5",
  "device.attributes['a.example.com'].b.exists(x, x == 1)",
  "device.attributes['a.example.com'].b.includes(1)",
  "[device.attributes['a.example.com'].b]",
  "[device.attributes['a.example.com'].b, 1].all(x, x == 1)",
  "{'a': device.attributes['a.example.com'].b}",
  "device.attributes['a.example.com'].?b",
  "optional.of(device.attributes['a.example.com'].b).hasValue()",
  "true ? device.attributes['a.example.com'].b : 1",
  "cel.bind(d, device.attributes['a.example.com'], d.x && d.y)",
  "device.attributes['a.example.com'].v.compareTo(semver('1.2.3')) >= 0",
  "device.capacity['a.example.com'].memory",
  "device.capacity['a.example.com'].memory.compareTo(quantity('1Gi')) > 0",
  "device.driver.matches('[')",
  "'%s'.format([device.attributes['a.example.com'].b]) == 'x'",
  "device.attributes.exists(d, device.attributes[d].exists(k, device.attributes[d][k] == 'x'))",
  "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, a == b)))",
  "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == d))))",
  "device.attributes.all(a, device.attributes[a].all(k, device.attributes[a][k].matches('(a|b)*c')))",
  "device.attributes.all(a, device.attributes.all(b, device.attributes[a].all(k, device.attributes[b][k].matches('(a|b)*'))))",
  "device.capacity.all(a, device.capacity[a].all(k, device.capacity[a][k].isGreaterThan(quantity('1'))))",
  `device.driver == '${"x".repeat(10_240)}'`,
];

const rich = {
  name: "d",
  attributes: { "a.example.com/b": { string: "x" }, c: { int: 1 }, e: { bool: true }, v: { version: "1.2.3" } },
  capacity: {
    "a.example.com/b": {
      value: "10",
      requestPolicy: { default: "2", validRange: { min: "2", max: "8", step: "2" } },
    },
    c: { value: "10", requestPolicy: { default: "2", validValues: ["1", "2", "4"] } },
  },
  allowMultipleAllocations: true,
  taints: [{ key: "a.example.com/x", value: "y", effect: "NoSchedule", timeAdded: "2024-01-01T00:00:00Z" }],
  consumesCounters: [{ counterSet: "s", counters: { c: { value: "1" } } }],
  bindsToNode: true,
  bindingConditions: ["a.example.com/x"],
  bindingFailureConditions: ["a.example.com/y"],
};

const exact = {
  deviceClassName: "c.example.com",
  selectors: [{ cel: { expression: "device.driver == 'a'" } }],
  allocationMode: "ExactCount",
  count: 2,
  tolerations: [{ key: "a.example.com/x", operator: "Equal", value: "y", effect: "NoExecute", tolerationSeconds: 3 }],
  capacity: { requests: { "a.example.com/b": "1" } },
};

const config = { requests: ["a"], opaque: { driver: "a.example.com", parameters: { a: 1 } } };

const full = {
  devices: {
    requests: [
      { name: "a", exactly: exact },
      {
        name: "b",
        firstAvailable: [
          { name: "s", ...exact },
          { name: "t", deviceClassName: "d", allocationMode: "All" },
        ],
      },
    ],
    constraints: [
      { requests: ["a", "b/s"], matchAttribute: "a.example.com/b" },
      { requests: ["b"], distinctAttribute: "a.example.com/b" },
    ],
    config: [config],
  },
};

/** Changes of a claim's spec at `at`. */
const inClaim = (at: string): Readonly<Record<string, Change>> => ({
  "no requests": { [`${at}.devices.requests`]: [] },
  "a request twice": { [`${at}.devices.requests`]: [...full.devices.requests, full.devices.requests[0]] },
  "too many alternatives": {
    [`${at}.devices.requests`]: [
      { name: "a", firstAvailable: Array.from({ length: 9 }, (_, i) => ({ name: `a${i}`, ...exact })) },
    ],
  },
  "neither form": { [`${at}.devices.requests`]: [{ name: "a" }] },
  "both forms": {
    [`${at}.devices.requests`]: [{ name: "a", exactly: exact, firstAvailable: [{ name: "b", ...exact }] }],
  },
  "all, and a count": { [`${at}.devices.requests[0].exactly`]: { ...exact, allocationMode: "All" } },
  "odd tolerations": {
    [`${at}.devices.requests[0].exactly`]: {
      ...exact,
      tolerations: [
        { operator: "Exists", value: "x" },
        { value: "a b" },
        { operator: "Like", effect: "Sometimes", key: "a b" },
      ],
    },
  },
  "odd constraints": {
    [`${at}.devices`]: {
      ...full.devices,
      constraints: [{}, { requests: ["b/x", "a/b/c", "A"], matchAttribute: "b" }, { distinctAttribute: "/b/" }],
    },
  },
  "odd configurations": {
    [`${at}.devices`]: {
      ...full.devices,
      config: [
        { requests: ["a", "a"] },
        { opaque: { driver: "a_b", parameters: null } },
        { opaque: { driver: "a", parameters: { a: "x".repeat(10_240) } } },
      ],
    },
  },
});

const sliceSpec = { driver: "a.example.com", pool: { name: "p", generation: 1, resourceSliceCount: 1 } };

export const deviceCases: readonly Cases[] = [
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "DeviceClass",
    plural: "deviceclasses",
    clusterWide: true,
    base: { spec: { selectors: [{ cel: { expression: "true" } }] } },
    create: {
      full: { "spec.config": [{ opaque: config.opaque }], "spec.extendedResourceName": "example.com/a" },
      ...Object.fromEntries(
        expressions.map((expression) => [expression, { "spec.selectors[0].cel.expression": expression }]),
      ),
    },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    plural: "resourceclaims",
    base: { spec: claim },
    create: { full: { spec: full }, ...inClaim("spec") },
    update: { "another class": { "spec.devices.requests[0].exactly.deviceClassName": "d" } },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaimTemplate",
    plural: "resourceclaimtemplates",
    base: { spec: { spec: claim } },
    create: {
      full: { spec: { metadata: { labels: { a: "b" } }, spec: full } },
      "a name in the template": { "spec.metadata": { name: "a", labels: { "a b": "c" } } },
      ...inClaim("spec.spec"),
    },
    update: { "a wrong class": { "spec.spec.devices.requests[0].exactly.deviceClassName": "D!" } },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    plural: "resourceslices",
    clusterWide: true,
    base: { spec: { ...sliceSpec, nodeName: "n", devices: [{ name: "d" }] } },
    create: {
      full: { "spec.devices": [rich] },
      selector: {
        "spec.nodeName": undefined,
        "spec.nodeSelector": {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }],
        },
      },
      "node by device": {
        "spec.nodeName": undefined,
        "spec.perDeviceNodeSelection": true,
        "spec.devices": [{ name: "d", nodeName: "n" }],
      },
      "no place": { "spec.nodeName": undefined },
      "two places": { "spec.allNodes": true },
      "devices that bring their nodes": { "spec.devices": [{ name: "d", allNodes: true }] },
      "devices without nodes": {
        "spec.nodeName": undefined,
        "spec.perDeviceNodeSelection": true,
        "spec.devices": [
          { name: "d" },
          { name: "e", nodeName: "", allNodes: false },
          { name: "f", nodeName: "n", allNodes: true },
        ],
      },
      "a device twice": { "spec.devices": [{ name: "d" }, { name: "d" }] },
      "many devices with taints": {
        "spec.devices": Array.from({ length: 65 }, (_, i) => ({ name: `d${i}`, taints: rich.taints })),
      },
      "odd attributes": {
        "spec.devices": [
          {
            name: "d",
            attributes: {
              "a/b/c": { int: 1 },
              "/x": { int: 1 },
              "a_b/c": {},
              v: { version: "1.2" },
              w: { int: 1, bool: true },
            },
          },
        ],
      },
      "too many attributes": {
        "spec.devices": [
          { name: "d", attributes: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`a${i}`, { int: i }])) },
        ],
      },
      "lists of values": { "spec.devices": [{ name: "d", attributes: { a: { int: 1, ints: [1, 2] } } }] },
      "a policy without sharing": { "spec.devices": [{ ...rich, allowMultipleAllocations: false }] },
      "odd policies": {
        "spec.devices": [
          {
            name: "d",
            allowMultipleAllocations: true,
            capacity: {
              both: { value: "1", requestPolicy: { default: "1", validValues: ["1"], validRange: { min: "1" } } },
              none: { value: "1", requestPolicy: { validValues: ["1"] } },
              order: { value: "3", requestPolicy: { default: "1", validValues: ["2", "1", "4", "1"] } },
              range: {
                value: "3",
                requestPolicy: { default: "1", validRange: { min: "2", max: "5", step: "2" } },
              },
              least: { value: "3", requestPolicy: { default: "1", validRange: { max: "5" } } },
            },
          },
        ],
      },
      "odd conditions": {
        "spec.devices": [
          { name: "d", bindingConditions: ["a", "a", "b c"], bindingFailureConditions: ["a"] },
          { name: "e", bindingConditions: ["a"] },
        ],
      },
      "odd counters": {
        "spec.devices": [
          { name: "d", consumesCounters: [{}, { counterSet: "A", counters: { "a b": { value: "1" } } }] },
          { name: "e", consumesCounters: [rich.consumesCounters[0], rich.consumesCounters[0]] },
        ],
      },
      counters: {
        "spec.devices": undefined,
        "spec.sharedCounters": [{ name: "s", counters: { c: { value: "1" } } }],
      },
    },
    update: {
      "another pool": { "spec.pool.name": "q" },
      "another driver": { "spec.driver": "b.example.com" },
      "another node": { "spec.nodeName": "m" },
      "other devices": { "spec.devices": [{ name: "e" }], "spec.pool.generation": 2 },
    },
  },
];
