/** Pods with claims of devices, for the comparison of schedulers. */
import { Namespace, ResourceClaim } from "../../../src/api/index.js";
import { generatedDevices } from "./generated-devices.js";
import { all, node, pod, remove, type Scenario, scenario } from "./scenario.js";
import {
  driver,
  slice,
  devices,
  device,
  deviceClass,
  cel,
  deviceClaim,
  asks,
  simpleClaim,
  withClaims,
  user,
  noSchedule,
  setDevices,
  free,
} from "./device-words.js";

const made: readonly Scenario[] = [
  scenario(
    "a device on one node",
    all(node("n1"), node("n2"), deviceClass("gpu"), devices("n2", device("a"), device("b"))),
    all(simpleClaim("one"), simpleClaim("two"), simpleClaim("three")),
    user("p", "one"),
    user("q", "two"),
    user("r", "three"),
    user("s", "one"),
  ),
  scenario(
    "devices that come later",
    all(node("n1"), deviceClass("gpu"), simpleClaim("one")),
    user("p", "one"),
    devices("n1", device("a")),
  ),
  scenario(
    "a class that is missing",
    all(node("n1"), devices("n1", device("a")), simpleClaim("one")),
    user("p", "one"),
  ),
  scenario(
    "selectors of class and claim",
    all(
      node("n1"),
      node("n2"),
      deviceClass("gpu", {
        selectors: cel(`device.driver == "${driver}" && device.attributes["${driver}"].kind == "big"`),
      }),
      devices("n1", device("a", { kind: "small", size: 1 }), device("b", { kind: "big", size: 2 })),
      devices("n2", device("c", { kind: "big", size: 3 }), device("d", { kind: "big", size: 4 })),
    ),
    simpleClaim("large", { selectors: cel(`device.attributes["${driver}"].size > 3`) }),
    simpleClaim("small", { selectors: cel(`device.attributes["${driver}"].size < 3`, "true") }),
    simpleClaim("none", { selectors: cel(`device.attributes["${driver}"].size > 9`) }),
    all(user("p", "large"), user("q", "small"), user("r", "none")),
  ),
  scenario(
    "a selector that fails",
    all(node("n1"), deviceClass("gpu"), devices("n1", device("a"))),
    simpleClaim("one", { selectors: cel(`device.attributes["${driver}"].missing == 1`) }),
    user("p", "one"),
  ),
  scenario(
    "versions, capacities and domains in selectors",
    all(
      node("n1"),
      deviceClass("gpu"),
      devices(
        "n1",
        device("a", { "other.example.com/x": "y" }, { capacity: { memory: { value: "8Gi" } } }),
        { name: "b", attributes: { v: { version: "1.10.0" } }, capacity: { memory: { value: "16Gi" } } },
        device("c"),
      ),
    ),
    simpleClaim("memory", {
      selectors: cel(
        `"memory" in device.capacity["${driver}"] && device.capacity["${driver}"].memory.compareTo(quantity("10Gi")) > 0`,
      ),
    }),
    simpleClaim("domain", { selectors: cel(`"x" in device.attributes["other.example.com"]`) }),
    simpleClaim("rest", {
      selectors: cel(
        `!("v" in device.attributes["${driver}"]) || device.attributes["${driver}"].v.isGreaterThan(semver("1.9.0"))`,
      ),
    }),
    all(user("p", "memory"), user("q", "domain"), user("r", "rest")),
  ),
  scenario(
    "several devices at once",
    all(
      node("n1"),
      node("n2"),
      deviceClass("gpu"),
      devices("n1", device("a"), device("b")),
      devices("n2", device("c"), device("d"), device("e")),
    ),
    all(simpleClaim("three", { count: 3 }), simpleClaim("two", { count: 2 }), simpleClaim("four", { count: 4 })),
    all(user("p", "three"), user("q", "two"), user("r", "four")),
  ),
  scenario(
    "all devices",
    all(
      node("n1"),
      deviceClass("gpu"),
      devices("n1", device("a", { x: 1 }), device("b", { x: 2 }), device("c", { x: 2 })),
    ),
    simpleClaim("all", { allocationMode: "All", selectors: cel(`device.attributes["${driver}"].x == 2`) }),
    simpleClaim("again", { allocationMode: "All" }),
    all(user("p", "all"), user("q", "again")),
  ),
  scenario(
    "a node with no devices for a request of all",
    all(node("n1"), deviceClass("gpu")),
    simpleClaim("all", { allocationMode: "All" }),
    user("p", "all"),
  ),
  scenario(
    "equal attributes",
    all(
      node("n1"),
      deviceClass("gpu"),
      devices(
        "n1",
        device("a", { numa: 0 }),
        device("b", { numa: 1 }),
        device("c", { numa: 1 }),
        device("d", { numa: 0 }),
      ),
    ),
    deviceClaim("pair", {
      requests: [asks({}, "x"), asks({}, "y")],
      constraints: [{ matchAttribute: `${driver}/numa` }],
    }),
    deviceClaim("three", {
      requests: [asks({ count: 3 })],
      constraints: [{ requests: ["r"], matchAttribute: `${driver}/numa` }],
    }),
    all(user("p", "three"), user("q", "pair")),
  ),
  scenario(
    "different attributes",
    all(
      node("n1"),
      deviceClass("gpu"),
      devices("n1", device("a", { numa: 0 }), device("b", { numa: 0 }), device("c", { numa: 1 })),
    ),
    deviceClaim("pair", {
      requests: [asks({}, "x"), asks({}, "y")],
      constraints: [{ distinctAttribute: `${driver}/numa` }],
    }),
    user("p", "pair"),
  ),
  scenario(
    "the first alternative that is there",
    all(
      node("n1"),
      node("n2"),
      deviceClass("gpu"),
      devices("n1", device("a", { kind: "small" })),
      devices("n2", device("b", { kind: "big" })),
    ),
    deviceClaim("best", {
      requests: [
        {
          name: "r",
          firstAvailable: [
            { name: "big", deviceClassName: "gpu", selectors: cel(`device.attributes["${driver}"].kind == "big"`) },
            { name: "small", deviceClassName: "gpu", count: 1 },
          ],
        },
      ],
      config: [
        { requests: ["r/big"], opaque: { driver, parameters: { a: 1 } } },
        { requests: ["r/small"], opaque: { driver, parameters: { a: 2 } } },
        { opaque: { driver, parameters: { a: 3 } } },
      ],
    }),
    user("p", "best"),
  ),
  scenario(
    "configuration of classes",
    all(
      node("n1"),
      deviceClass("gpu", { config: [{ opaque: { driver, parameters: { from: "class" } } }] }),
      devices("n1", device("a"), device("b")),
    ),
    deviceClaim("one", {
      requests: [asks({}, "x"), asks({}, "y")],
      config: [{ requests: ["x"], opaque: { driver, parameters: {} } }],
    }),
    user("p", "one"),
  ),
  scenario(
    "tainted devices",
    all(
      node("n1"),
      deviceClass("gpu"),
      devices(
        "n1",
        device("a", {}, { taints: [noSchedule] }),
        device("b", {}, { taints: [{ key: "x", value: "y", effect: "NoExecute" }] }),
      ),
    ),
    simpleClaim("plain"),
    simpleClaim("brave", { tolerations: [{ key: "broken", operator: "Exists" }] }),
    simpleClaim("exact", { tolerations: [{ key: "x", operator: "Equal", value: "y", effect: "NoExecute" }] }),
    all(user("p", "plain"), user("q", "brave"), user("r", "exact")),
  ),
  scenario(
    "a taint that goes",
    all(node("n1"), deviceClass("gpu"), devices("n1", device("a", {}, { taints: [noSchedule] }))),
    simpleClaim("one"),
    user("p", "one"),
    setDevices("n1", device("a")),
  ),
  scenario(
    "access for administrators",
    async ({ client }) => {
      const labels = { "resource.kubernetes.io/admin-access": "true" };
      await client.resource(Namespace).patch("default", { merge: { metadata: { labels } } });
    },
    all(node("n1"), deviceClass("gpu"), devices("n1", device("a")), simpleClaim("one")),
    user("p", "one"),
    simpleClaim("watch", { adminAccess: true }),
    user("q", "watch"),
  ),
  scenario(
    "two claims of one pod",
    all(
      node("n1"),
      node("n2"),
      deviceClass("gpu"),
      devices("n1", device("a")),
      devices("n2", device("b"), device("c")),
    ),
    all(simpleClaim("one"), simpleClaim("two")),
    user("p", "one", "two"),
  ),
  scenario(
    "a claim that is missing, and comes",
    all(node("n1"), deviceClass("gpu"), devices("n1", device("a"))),
    all(user("p", "one"), simpleClaim("one")),
  ),
  scenario(
    "devices by labels of nodes",
    all(node("n1", { labels: { rack: "x" } }), node("n2", { labels: { rack: "y" } }), deviceClass("gpu")),
    slice("rack-y", {
      nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: "rack", operator: "In", values: ["y"] }] }] },
      devices: [device("a"), device("b")],
    }),
    all(simpleClaim("one"), simpleClaim("two")),
    user("p", "one"),
    pod("q", { spec: { ...withClaims("two"), nodeSelector: { rack: "x" } } }),
  ),
  scenario(
    "devices on all nodes",
    all(node("n1"), node("n2", { unschedulable: true }), deviceClass("gpu")),
    slice("network", { allNodes: true, devices: [device("a")] }),
    all(simpleClaim("one"), simpleClaim("two")),
    user("p", "one"),
    user("q", "one"),
    user("r", "two"),
  ),
  scenario(
    "an incomplete pool",
    all(node("n1"), deviceClass("gpu")),
    slice("half", {
      nodeName: "n1",
      pool: { name: "n1", generation: 1, resourceSliceCount: 2 },
      devices: [device("a")],
    }),
    simpleClaim("one"),
    user("p", "one"),
    slice("other-half", {
      nodeName: "n1",
      pool: { name: "n1", generation: 1, resourceSliceCount: 2 },
      devices: [device("b")],
    }),
  ),
  scenario(
    "a pool with one name twice",
    all(node("n1"), node("n2"), deviceClass("gpu")),
    slice("half", {
      nodeName: "n1",
      pool: { name: "n1", generation: 1, resourceSliceCount: 2 },
      devices: [device("a")],
    }),
    slice("other-half", {
      nodeName: "n1",
      pool: { name: "n1", generation: 1, resourceSliceCount: 2 },
      devices: [device("a")],
    }),
    simpleClaim("one"),
    user("p", "one"),
  ),
  scenario(
    "partitions of a device",
    all(node("n1"), deviceClass("gpu")),
    slice("counters", {
      nodeName: "n1",
      pool: { name: "n1", generation: 1, resourceSliceCount: 2 },
      sharedCounters: [{ name: "gpu-0", counters: { memory: { value: "40Gi" } } }],
    }),
    slice("parts", {
      nodeName: "n1",
      pool: { name: "n1", generation: 1, resourceSliceCount: 2 },
      devices: ["30Gi", "20Gi", "10Gi", "10Gi"].map((value, i) =>
        device(
          `part-${i}`,
          { size: i },
          { consumesCounters: [{ counterSet: "gpu-0", counters: { memory: { value } } }] },
        ),
      ),
    }),
    all(simpleClaim("one"), simpleClaim("two"), simpleClaim("three"), simpleClaim("pair", { count: 2 })),
    user("p", "one"),
    user("q", "two"),
    user("r", "three"),
    user("s", "pair"),
  ),
  scenario(
    "shares of a device",
    all(node("n1"), deviceClass("gpu")),
    devices(
      "n1",
      device(
        "a",
        {},
        {
          allowMultipleAllocations: true,
          capacity: {
            memory: {
              value: "8Gi",
              requestPolicy: { default: "1Gi", validRange: { min: "1Gi", step: "1Gi", max: "6Gi" } },
            },
            lanes: { value: "4", requestPolicy: { default: "1", validValues: ["1", "2"] } },
          },
        },
      ),
    ),
    simpleClaim("one", { capacity: { requests: { memory: "3500Mi" } } }),
    simpleClaim("two", { capacity: { requests: { memory: "5Gi" } } }),
    simpleClaim("three", { capacity: { requests: { memory: "2Gi", lanes: "2" } } }),
    simpleClaim("odd", { capacity: { requests: { speed: "2" } } }),
    user("p", "one"),
    user("q", "two"),
    user("r", "three"),
    user("s", "odd"),
  ),
  scenario(
    "a claim that is freed",
    all(node("n1"), deviceClass("gpu"), devices("n1", device("a")), simpleClaim("one"), simpleClaim("two")),
    user("p", "one"),
    user("q", "two"),
    remove("p"),
    free("one"),
  ),
  scenario(
    "an unused claim that is allocated for another node",
    all(node("n1"), deviceClass("gpu"), devices("n1", device("a")), simpleClaim("one")),
    user("p", "one"),
    remove("p"),
    async ({ client }) => {
      const claims = client.resource(ResourceClaim, { namespace: "default" });
      const known = await claims.get("one");
      const { reservedFor: _, ...status } = known.status ?? {};
      await claims.status.update({ ...known, status });
    },
    all(node("n2"), devices("n2", device("b"))),
    pod("q", { spec: { ...withClaims("one"), nodeSelector: { "kubernetes.io/hostname": "n2" } } }),
  ),
];

export const deviceScenarios: readonly Scenario[] = [
  ...made,
  ...Array.from({ length: 22 }, (_, i) => generatedDevices(i + 1)),
];
