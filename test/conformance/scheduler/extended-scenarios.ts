/** Pods with extended resources that devices provide, for the comparison of schedulers. */
import { type Container, DeviceClass, Pod, ResourceClaim } from "../../../src/api/index.js";
import { type Random, seededRandom, systemClock } from "../../../src/base/index.js";
import {
  cel,
  device,
  deviceClass,
  devices,
  driver,
  noSchedule,
  setDevices,
  simpleClaim,
  withClaims,
} from "./device-words.js";
import { all, node, pod, remove, type Scenario, scenario, type Step } from "./scenario.js";

const gpu = "example.com/gpu";
const implicit = "deviceclass.resource.kubernetes.io/gpu";
const provider = (name: string, extendedResourceName: string): Step => deviceClass(name, { extendedResourceName });
const eight = { has: { cpu: "8", memory: "16Gi" } };

const container = (name: string, asks: Readonly<Record<string, string>>, more: Partial<Container> = {}): Container => ({
  name,
  image: "i",
  resources: { requests: asks, limits: asks },
  ...more,
});
const sidecar = { restartPolicy: "Always" } as const;

/** Times of creation have whole seconds. */
const later: Step = ({ signal }) => systemClock.sleep(1_100, signal);

const made: readonly Scenario[] = [
  scenario(
    "extended resources from devices",
    all(node("n1", eight), node("n2"), provider("gpu", gpu), devices("n2", device("a"), device("b"), device("c"))),
    pod("p", { asks: { [gpu]: "2" } }),
    pod("q", { asks: { [gpu]: "1" } }),
    pod("r", { asks: { [gpu]: "1" } }),
    pod("s", { asks: { [gpu]: "0" } }),
    pod("t", { asks: { "example.com/other": "1" } }),
  ),
  scenario(
    "extended resources by the name of the class",
    all(node("n1"), provider("gpu", gpu), deviceClass("fpga"), devices("n1", device("a"), device("b"))),
    pod("p", { asks: { [implicit]: "1" } }),
    pod("q", { asks: { "deviceclass.resource.kubernetes.io/fpga": "1" } }),
    pod("r", { asks: { [gpu]: "1" } }),
    pod("s", { asks: { "deviceclass.resource.kubernetes.io/none": "1" } }),
  ),
  scenario(
    "extended resources of nodes beside those of devices",
    all(node("n1", { has: { ...eight.has, [gpu]: "1" } }), node("n2"), provider("gpu", gpu)),
    all(devices("n1", device("a")), devices("n2", device("b"))),
    pod("p", { asks: { [gpu]: "1" } }),
    pod("q", { asks: { [gpu]: "1" } }),
    pod("r", { asks: { [gpu]: "1" } }),
  ),
  scenario(
    "extended resources of many containers",
    all(node("n1"), provider("gpu", gpu), provider("nic", "example.com/nic")),
    devices("n1", ...Array.from({ length: 16 }, (_, i) => device(`d${i}`))),
    pod("p", {
      spec: {
        initContainers: [
          container("first", { [gpu]: "1" }),
          container("side", { cpu: "100m", [gpu]: "1" }, sidecar),
          container("second", { [gpu]: "5", "example.com/nic": "1" }),
          container("third", { [gpu]: "4" }),
        ],
        containers: [
          container("a", { memory: "1Gi", [gpu]: "2", "example.com/nic": "2" }),
          container("b", { cpu: "1" }),
          container("c", { [gpu]: "1" }),
        ],
      },
    }),
  ),
  scenario(
    "extended resources that two classes provide",
    all(node("n1"), devices("n1", device("a", { kind: "big" }), device("b", { kind: "small" }))),
    deviceClass("old", { extendedResourceName: gpu, selectors: cel(`device.attributes["${driver}"].kind == "big"`) }),
    later,
    deviceClass("young", {
      extendedResourceName: gpu,
      selectors: cel(`device.attributes["${driver}"].kind == "small"`),
    }),
    pod("p", { asks: { [gpu]: "1" } }),
    pod("q", { asks: { [gpu]: "1" } }),
  ),
  scenario(
    "a class for extended resources that comes later",
    all(node("n1"), devices("n1", device("a"))),
    pod("p", { asks: { [gpu]: "1" } }),
    pod("q", { asks: { [implicit]: "1" } }),
    provider("gpu", gpu),
  ),
  scenario(
    "a class that begins to provide extended resources",
    all(node("n1"), deviceClass("gpu"), devices("n1", device("a"))),
    pod("p", { asks: { [gpu]: "1" } }),
    async ({ client }) => {
      await client.resource(DeviceClass).patch("gpu", { merge: { spec: { extendedResourceName: gpu } } });
    },
  ),
  scenario(
    "devices for extended resources that come later",
    all(node("n1"), provider("gpu", gpu)),
    pod("p", { asks: { [gpu]: "1" } }),
    devices("n1", device("a")),
    pod("q", { asks: { [gpu]: "1" } }),
    setDevices("n1", device("a"), device("b")),
  ),
  scenario(
    "extended resources beside claims",
    all(node("n1"), provider("gpu", gpu), devices("n1", device("a"), device("b"), device("c")), simpleClaim("one")),
    pod("p", { asks: { [gpu]: "1" }, spec: withClaims("one") }),
    pod("q", { asks: { [gpu]: "2" }, spec: withClaims("one") }),
  ),
  scenario(
    "extended resources of tainted devices",
    all(node("n1"), provider("gpu", gpu), devices("n1", device("a", {}, { taints: [noSchedule] }), device("b"))),
    pod("p", { asks: { [gpu]: "1" } }),
    pod("q", { asks: { [gpu]: "1" } }),
  ),
  scenario(
    "extended resources that a claim gives back",
    all(node("n1"), provider("gpu", gpu), devices("n1", device("a"))),
    pod("p", { asks: { [gpu]: "1" } }),
    pod("q", { asks: { [gpu]: "1" } }),
    remove("p"),
    async ({ client }) => {
      const claims = client.resource(ResourceClaim, { namespace: "default" });
      for (const { status: _, ...known } of (await claims.list()).items) {
        await claims.status.update({ ...known, status: {} });
      }
    },
  ),
  scenario(
    "a claim that an earlier attempt left",
    all(node("n1"), provider("gpu", gpu), devices("n1", device("a"))),
    pod("p", { asks: { [gpu]: "1" }, spec: { schedulingGates: [{ name: "example.com/wait" }] } }),
    async ({ client }) => {
      const { metadata } = await client.resource(Pod, { namespace: "default" }).get("p");
      await client.resource(ResourceClaim, { namespace: "default" }).create({
        metadata: {
          name: "left",
          finalizers: ["resource.kubernetes.io/delete-protection"],
          annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
          ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: metadata.uid ?? "", controller: true }],
        },
        spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } },
      });
    },
    async ({ client }) => {
      const pods = client.resource(Pod, { namespace: "default" });
      await pods.patch("p", { merge: { spec: { schedulingGates: null } } });
    },
    // the deletion of a claim wakes no pod upstream
    node("n2", { labels: { new: "label" } }),
  ),
];

/** Pods whose containers ask for random amounts of two resources, one after the other. */
function generated(seed: number): Scenario {
  const random: Random = seededRandom(seed);
  const nodes = Array.from({ length: 1 + random.int(3) }, (_, i) => `n${i + 1}`);
  const setUp = nodes.flatMap((name, i) => [
    node(name, {
      has: {
        cpu: String(256 / 8 ** i),
        memory: `${256 / 8 ** i}Gi`,
        pods: "30",
        ...(random.int(3) === 0 && { [gpu]: String(1 + random.int(4)) }),
      },
    }),
    devices(name, ...Array.from({ length: random.int(9) }, (_, n) => device(`d${n}`))),
  ]);
  const asks = (): Readonly<Record<string, string>> => ({
    cpu: "100m",
    ...(random.int(3) > 0 && { [gpu]: String(random.int(4)) }),
    ...(random.int(3) === 0 && { [implicit]: String(random.int(3)) }),
  });
  const list = (prefix: string, most: number, more: () => Partial<Container> = () => ({})): Container[] =>
    Array.from({ length: random.int(most) }, (_, i) => container(`${prefix}${i}`, asks(), more()));
  const pods = Array.from({ length: 4 + random.int(4) }, (_, i) =>
    pod(`p${i}`, {
      spec: {
        initContainers: list("i", 3, () => (random.int(3) === 0 ? sidecar : {})),
        containers: [container("c", asks()), ...list("d", 3)],
      },
    }),
  );
  return scenario(`extended resources by seed ${seed}`, all(provider("gpu", gpu), ...setUp), ...pods);
}

export const extendedScenarios: readonly Scenario[] = [
  ...made,
  // by seed 7 two nodes have one score, and chance decides
  ...[1, 2, 3, 4, 5, 6, 8, 9].map(generated),
];
