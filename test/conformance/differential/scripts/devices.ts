/** Devices: claims and their templates, classes, slices. */
import { inNamespace, object, type Script, table } from "../script.js";

export function devices(): Script {
  const { script: s, group } = inNamespace("diff-devices");
  const v1 = "resource.k8s.io/v1";
  const claims = `${group(v1)}/resourceclaims`;
  const claim = (name: string, given: object): object =>
    object(v1, "ResourceClaim", name, { spec: { devices: given } });
  const exactly = { deviceClassName: "c" };
  for (const [name, given] of [
    ["empty", {}],
    ["good", { requests: [{ name: "r", exactly }] }],
    ["none", { requests: [{ name: "r" }] }],
    ["both", { requests: [{ name: "r", exactly, firstAvailable: [{ name: "s", deviceClassName: "c" }] }] }],
    [
      "first",
      {
        requests: [
          {
            name: "r",
            firstAvailable: [
              { name: "s", deviceClassName: "c" },
              { name: "t", deviceClassName: "d", count: 2 },
            ],
          },
        ],
      },
    ],
    ["class", { requests: [{ name: "r", exactly: { deviceClassName: "" } }] }],
    ["mode", { requests: [{ name: "r", exactly: { ...exactly, allocationMode: "Some" } }] }],
    ["all", { requests: [{ name: "r", exactly: { ...exactly, allocationMode: "All", count: 2 } }] }],
    ["negative", { requests: [{ name: "r", exactly: { ...exactly, count: -1 } }] }],
    [
      "twice",
      {
        requests: [
          { name: "r", exactly },
          { name: "r", exactly },
        ],
      },
    ],
    [
      "constraint",
      { requests: [{ name: "r", exactly }], constraints: [{ requests: ["x"], matchAttribute: "a.example.com/b" }] },
    ],
    [
      "config",
      { requests: [{ name: "r", exactly }], config: [{ requests: ["r"] }, { opaque: { driver: "", parameters: {} } }] },
    ],
  ] as const) {
    s.post(claims, claim(name, given));
  }
  s.get(`${claims}/good`, { accept: table }).merge(`${claims}/good/status`, { status: {} }).delete(`${claims}/good`);
  const templates = `${group(v1)}/resourceclaimtemplates`;
  s.post(
    templates,
    object(v1, "ResourceClaimTemplate", "t", { spec: { spec: { devices: { requests: [{ name: "r", exactly }] } } } }),
  )
    .post(
      templates,
      object(v1, "ResourceClaimTemplate", "bad", {
        spec: { metadata: { labels: { "b@d": "x" } }, spec: { devices: { requests: [{ name: "B", exactly }] } } },
      }),
    )
    .delete(`${templates}/t`);
  const classes = `/apis/${v1}/deviceclasses`;
  s.post(classes, object(v1, "DeviceClass", "diff-class", { spec: {} }))
    .post(classes, object(v1, "DeviceClass", "diff-bad", { spec: { selectors: [{}], config: [{}] } }))
    .get(`${classes}/diff-class`, { accept: table })
    .delete(`${classes}/diff-class`);
  const slices = `/apis/${v1}/resourceslices`;
  const slice = (name: string, spec: object): object => object(v1, "ResourceSlice", name, { spec });
  const pool = { name: "p", resourceSliceCount: 1, generation: 1 };
  for (const [name, spec] of [
    ["empty", {}],
    ["good", { driver: "d.example.com", pool, allNodes: true, devices: [{ name: "a" }] }],
    ["nowhere", { driver: "d.example.com", pool, devices: [{ name: "a" }] }],
    ["everywhere", { driver: "d.example.com", pool, allNodes: true, nodeName: "n" }],
    ["false", { driver: "d.example.com", pool, allNodes: false }],
    ["pool", { driver: "Bad_", pool: { name: "", resourceSliceCount: 0, generation: -1 }, nodeName: "n" }],
    [
      "device",
      { driver: "d.example.com", pool, nodeName: "n", devices: [{ name: "A" }, { name: "b", nodeName: "n" }] },
    ],
  ] as const) {
    s.post(slices, slice(`diff-${name}`, spec));
  }
  s.get(`${slices}/diff-good`, { accept: table })
    .merge(`${slices}/diff-good`, { spec: { driver: "e.example.com" } })
    .get(`${slices}?fieldSelector=spec.driver%3Dd.example.com`, { accept: table })
    .delete(`${slices}/diff-good`);
  return s;
}
