import { expect, test } from "vitest";
import { startTestServer } from "../../testing/cluster.js";
import type { ApiServer } from "../index.js";

interface Answer {
  readonly status: number;
  readonly warnings: readonly string[];
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever the server says
  readonly body: any;
}

async function ask(server: ApiServer, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
  const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
  const response = await server.transport()({ method, path, headers, ...sent }, new AbortController().signal);
  return {
    status: response.status,
    warnings: [response.headers["warning"] ?? []].flat(),
    body: JSON.parse(Buffer.from(response.body as Uint8Array).toString()),
  };
}

const core = "/api/v1/namespaces/default";
const pod = (name: string, container: object = {}, spec: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i", ...container }], ...spec },
});

test("a limit range fills in what a container leaves out, and refuses what goes beyond it", async () => {
  await using server = await startTestServer();
  await ask(server, "POST", `${core}/limitranges`, {
    kind: "LimitRange",
    apiVersion: "v1",
    metadata: { name: "r" },
    spec: { limits: [{ type: "Container", default: { cpu: "500m" }, max: { cpu: "1" } }] },
  });
  const { body } = await ask(server, "POST", `${core}/pods`, pod("a"));
  expect(body.spec.containers[0].resources).toEqual({ limits: { cpu: "500m" }, requests: { cpu: "500m" } });
  expect(body.metadata.annotations["kubernetes.io/limit-ranger"]).toBe(
    "LimitRanger plugin set: cpu request for container c; cpu limit for container c",
  );
  const refused = await ask(server, "POST", `${core}/pods`, pod("b", { resources: { limits: { cpu: "2" } } }));
  expect(refused.body.message).toBe('pods "b" is forbidden: maximum cpu usage per Container is 1, but limit is 2');
});

test("quotas are charged once for each write, also for writes at the same time", async () => {
  await using server = await startTestServer();
  const path = `${core}/resourcequotas`;
  const hard = { configmaps: "3" };
  await ask(server, "POST", path, {
    kind: "ResourceQuota",
    apiVersion: "v1",
    metadata: { name: "q" },
    spec: { hard },
  });
  await ask(server, "PATCH", `${path}/q/status`, { status: { hard, used: { configmaps: "0" } } });
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      ask(server, "POST", `${core}/configmaps`, { kind: "ConfigMap", apiVersion: "v1", metadata: { name: `m${i}` } }),
    ),
  );
  expect(made.filter(({ status }) => status === 201)).toHaveLength(3);
  const refused = made.find(({ status }) => status === 403);
  expect(refused?.body.message).toMatch(
    /exceeded quota: q, requested: configmaps=1, used: configmaps=3, limited: configmaps=3$/,
  );
  expect((await ask(server, "GET", `${path}/q`)).body.status.used).toEqual({ configmaps: "3" });
});

test("a namespace's labels say how secure its pods must be", async () => {
  await using server = await startTestServer();
  const labels = { "pod-security.kubernetes.io/enforce": "baseline", "pod-security.kubernetes.io/warn": "restricted" };
  await ask(server, "PATCH", "/api/v1/namespaces/default", { metadata: { labels } });
  const refused = await ask(server, "POST", `${core}/pods`, pod("a", {}, { hostNetwork: true }));
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
  ]);
  const warned = await ask(server, "POST", `${core}/pods`, pod("b"));
  expect(warned.status).toBe(201);
  expect(warned.warnings.join()).toContain(
    'would violate PodSecurity \\"restricted:latest\\": allowPrivilegeEscalation',
  );
});

test("what a container takes can change while it runs, and nothing else of it", async () => {
  await using server = await startTestServer();
  await ask(server, "POST", `${core}/pods`, pod("a", { resources: { requests: { cpu: "100m" } } }));
  const container = { name: "c", image: "i", resources: { requests: { cpu: "200m" } } };
  const direct = await ask(server, "PATCH", `${core}/pods/a`, { spec: { containers: [container] } });
  expect(direct.status).toBe(422);
  const { status, body } = await ask(server, "PATCH", `${core}/pods/a/resize`, {
    metadata: { labels: { ignored: "yes" } },
    spec: { containers: [container] },
  });
  expect([status, body.metadata.labels, body.spec.containers[0].resources.requests, body.metadata.generation]).toEqual([
    200,
    undefined,
    { cpu: "200m" },
    2,
  ]);
});

/** As a controller sends it time and again: the very same body. */
const generated = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { generateName: "a-", ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

test("pods of one template are admitted by what accounts and priorities are when each is made", async () => {
  await using server = await startTestServer();
  const account = { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "default" } };
  const make = async (): Promise<Answer["body"]> =>
    (await ask(server, "POST", `${core}/pods?fieldManager=m`, generated())).body;
  await ask(server, "DELETE", `${core}/serviceaccounts/default`);
  const bare = await make();
  await ask(server, "POST", `${core}/serviceaccounts`, account);
  const [first, second] = [await make(), await make()];
  await ask(server, "PATCH", `${core}/serviceaccounts/default`, { imagePullSecrets: [{ name: "s" }] });
  await ask(server, "POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {
    kind: "PriorityClass",
    apiVersion: "scheduling.k8s.io/v1",
    metadata: { name: "high" },
    value: 7,
    globalDefault: true,
  });
  const third = await make();
  expect(bare.spec.volumes).toBeUndefined();
  for (const { spec } of [first, second, third]) {
    expect(spec.volumes).toMatchObject([{ name: expect.stringMatching(/^kube-api-access-[a-z0-9]{5}$/) }]);
    expect(spec.containers[0].volumeMounts).toMatchObject([{ name: spec.volumes[0].name, readOnly: true }]);
  }
  expect([first, second, third].map(({ spec }) => spec.priority)).toEqual([0, 0, 7]);
  expect([first, second, third].map(({ spec }) => spec.imagePullSecrets)).toEqual([
    undefined,
    undefined,
    [{ name: "s" }],
  ]);
});

test("pods of one template are judged and warned of each time, by their own names where these matter", async () => {
  await using server = await startTestServer();
  const volumes = (path: string): object => ({
    volumes: [
      { name: "v", hostPath: { path } },
      { name: "v", emptyDir: {} },
    ],
  });
  const container = { name: "c", image: "i", ports: [{ containerPort: 1 }, { containerPort: 1 }] };
  const claim = { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } } };
  for (let i = 0; i < 2; i++) {
    const wrong = await ask(server, "POST", `${core}/pods`, generated(volumes("/x")));
    expect(wrong.body.message).toMatch(
      /^Pod "a-[a-z0-9]{5}" is invalid: spec\.volumes\[1\]\.name: Duplicate value: "v"$/,
    );
    const unwise = await ask(server, "POST", `${core}/pods`, generated({ containers: [container] }));
    expect(unwise.status).toBe(201);
    expect(unwise.warnings).toEqual([
      '299 - "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]"',
    ]);
    const ephemeral = { volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: claim } }] };
    const short = await ask(server, "POST", `${core}/pods`, generated(ephemeral));
    expect(short.status).toBe(201);
    const tooLong = await ask(server, "POST", `${core}/pods`, pod("b".repeat(252), {}, ephemeral));
    expect(tooLong.body.message).toContain("must be no more than 253");
  }
});
