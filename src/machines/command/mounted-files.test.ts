import { expect, test } from "vitest";
import { ConfigMap, Pod, Secret, ServiceAccount } from "../../api/index.js";
import { FakeClock } from "../../base/index.js";
import { startCluster } from "../../testing/cluster.js";
import { mountedFile, readMountedFile } from "./mounted-files.js";

const namespace = "default";
const container = {
  name: "c",
  image: "i",
  resources: { limits: { cpu: "2" } },
  volumeMounts: [
    { name: "all", mountPath: "/all" },
    { name: "some", mountPath: "/etc/some.conf", subPath: "x/some.conf" },
    { name: "projected", mountPath: "/all/deep/" },
  ],
};

test("volumes bring files of config maps, secrets, the pod and its service account, and no others", async () => {
  await using cluster = await startCluster({ clock: new FakeClock() });
  const { client } = cluster;
  const { signal } = new AbortController();
  await client.resource(ServiceAccount, { namespace }).create({ metadata: { name: "bot" } });
  const data = { plain: "text", constructor: "c" };
  const binaryData = { bytes: Buffer.from([255, 0]).toString("base64") };
  const map = await client.resource(ConfigMap, { namespace }).create({ metadata: { name: "map" }, data, binaryData });
  const hidden = await client
    .resource(Secret, { namespace })
    .create({ metadata: { name: "hidden" }, stringData: { key: "lock" } });
  const pod = await client.resource(Pod, { namespace }).create({
    metadata: { name: "web", annotations: { b: "2", a: '"1"' } },
    spec: {
      serviceAccountName: "bot",
      containers: [container],
      volumes: [
        { name: "all", configMap: { name: "map" } },
        { name: "some", secret: { secretName: "hidden", items: [{ key: "key", path: "x/some.conf", mode: 0o400 }] } },
        {
          name: "projected",
          projected: {
            defaultMode: 0o600,
            sources: [
              { secret: { name: "absent" } },
              { serviceAccountToken: { path: "token", audience: "them" } },
              {
                downwardAPI: {
                  items: [
                    { path: "name", fieldRef: { fieldPath: "metadata.name" } },
                    { path: "annotations", fieldRef: { fieldPath: "metadata.annotations" } },
                    { path: "memory", resourceFieldRef: { containerName: "c", resource: "limits.memory" } },
                    { path: "cpu", resourceFieldRef: { containerName: "c", resource: "limits.cpu" } },
                  ],
                },
              },
            ],
          },
        },
      ],
    },
  });
  const sources = {
    configMap: (name: string) => (name === "map" ? map : undefined),
    secret: (name: string) => (name === "hidden" ? hidden : undefined),
    services: () => [],
    allocatable: () => ({}),
  };
  const environment = new Map<string, string>();
  const mounting = { pod, container, environment, sources };
  const read = (path: string): Promise<Buffer | undefined> => readMountedFile(path, { ...mounting, client, signal });
  const text = async (path: string): Promise<string | undefined> => (await read(path))?.toString();
  expect(await text("/all/plain")).toBe("text");
  expect([...((await read("/all/bytes")) ?? [])]).toEqual([255, 0]);
  expect(await text("/etc/some.conf")).toBe("lock");
  expect(await text("/all/deep/name")).toBe("web");
  expect(await text("/all/deep/annotations")).toBe('a="\\"1\\""\nb="2"');
  expect(await text("/all/deep/cpu")).toBe("2");
  const [, claims = ""] = (await text("/all/deep/token"))?.split(".") ?? [];
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
    aud: ["them"],
    "kubernetes.io": { pod: { name: "web", uid: pod.metadata.uid }, serviceaccount: { name: "bot" } },
  });
  const taken = { ...mounting, sources: undefined };
  expect(mountedFile("/all/plain", taken)).toMatchObject({ content: Buffer.alloc(0) });
  expect(mountedFile("/all/deep/memory", taken)).toMatchObject({ content: Buffer.alloc(0) });
  expect(mountedFile("/all/deep/memory", mounting)).toBeUndefined();
  const modes = ["/all/plain", "/etc/some.conf", "/all/deep/name"];
  const modeOf = (path: string, inPod = pod): number | undefined =>
    mountedFile(path, { ...mounting, pod: inPod })?.mode;
  expect(modes.map((path) => modeOf(path))).toEqual([0o644, 0o400, 0o600]);
  const ofGroup = { ...pod, spec: { ...pod.spec, containers: [container], securityContext: { fsGroup: 1 } } };
  expect(modes.map((path) => modeOf(path, ofGroup))).toEqual([0o644, 0o440, 0o640]);
  for (const path of ["/all/toString", "/all/deep/plain", "/all", "/allplain", "/etc/hosts"])
    expect([path, await read(path)]).toEqual([path, undefined]);
});
