import { expect, test } from "vitest";
import { FakeClock } from "../../../base/index.js";
import type { KubeObject } from "../../../api/index.js";
import { startTestServer } from "../../../testing/cluster.js";
import type { ApiServer } from "../../index.js";
import type { Endpoint } from "../../contracts/endpoint.js";
import { Templates, type Template, type Judgement } from "./templates.js";

const endpoint = {
  custom: false,
  served: { group: "", version: "v1", plural: "pods" },
} as unknown as Endpoint;
const bytes = Buffer.from('{"metadata":{"generateName":"a-"}}');
const sent = { endpoint, namespace: "n", manager: "m", mediaType: "application/json", bytes };

const pod = (name: string, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, uid: name, creationTimestamp: name, labels: { a: "b" }, ...more },
});

test("the same body of the same sender has one template; any other has its own", () => {
  const templates = new Templates();
  const first = templates.of(sent) as Template;
  expect(templates.of({ ...sent, bytes: Buffer.from(bytes) })).toBe(first);
  const others = [
    { ...sent, namespace: "o" },
    { ...sent, manager: "o" },
    { ...sent, mediaType: "application/yaml" },
    { ...sent, bytes: Buffer.from(`${bytes.toString()} `) },
    { ...sent, endpoint: { ...endpoint, served: { ...endpoint.served, version: "v2" } } },
  ];
  for (const other of others) expect(templates.of(other)).not.toBe(first);
  expect(templates.of({ ...sent, bytes: Buffer.from('{"metadata":{"name":"a"}}') })).toBeUndefined();
  expect(templates.of({ ...sent, endpoint: { ...endpoint, custom: true } })).toBeUndefined();
});

test("a draft is made once in a second", () => {
  const template = new Templates().of(sent) as Template;
  let made = 0;
  const make = (): KubeObject => pod(`${made++}`);
  const first = template.draft("10:00:00", make);
  expect(template.draft("10:00:00", make)).toBe(first);
  expect(template.draft("10:00:01", make)).not.toBe(first);
  expect(made).toBe(2);
});

test("a verdict holds for objects of the same content, unless it depends on more", () => {
  const template = new Templates().of(sent) as Template;
  let asked = 0;
  const judge = (byContent: boolean) => (): Judgement & { readonly byContent: boolean } => {
    asked++;
    return { errors: [], warnings: [], byContent };
  };
  template.judged(pod("a"), judge(true));
  const { object } = template.judged(pod("b"), judge(true));
  expect(asked).toBe(1);
  expect(object).toEqual(pod("b"));
  template.judged(pod("c", { annotations: { x: "y" } }), judge(false));
  template.judged(pod("d", { annotations: { x: "y" } }), judge(false));
  expect(asked).toBe(3);
});

async function create(server: ApiServer, path: string, body: string): Promise<Record<string, unknown>> {
  const request = { method: "POST", path, headers: { "content-type": "application/json" }, body: Buffer.from(body) };
  const response = await server.transport()(request, new AbortController().signal);
  return JSON.parse(Buffer.from(response.body as Uint8Array).toString()) as Record<string, unknown>;
}

test("pods of one template differ in name and uid, and follow the objects that admission reads", async () => {
  await using server = await startTestServer({ clock: new FakeClock() });
  const template = JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "web-" },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
  const pods = "/api/v1/namespaces/default/pods";
  const [first, second] = [await create(server, pods, template), await create(server, pods, template)];
  const priority = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "high" } };
  const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
  await create(server, classes, JSON.stringify({ ...priority, value: 7, globalDefault: true }));
  const third = await create(server, pods, template);
  const names = [first, second, third].map(({ metadata }) => (metadata as KubeObject["metadata"]).name);
  expect(new Set(names).size).toBe(3);
  expect(second["spec"]).toEqual(first["spec"]);
  expect(third["spec"]).toEqual({ ...(first["spec"] as object), priority: 7, priorityClassName: "high" });
});
