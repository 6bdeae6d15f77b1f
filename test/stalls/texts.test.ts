/**
 * Texts that make a careless regular expression try every position, or every pair of positions. The engine's own steps
 * cannot be counted, so the texts are so long that such an expression would not end within the life of the test.
 */
import { expect, test } from "vitest";
import { parseQuantity } from "../../src/api/index.js";
import { parseExactJson } from "../../src/api/values/exact-json.js";
import { parseLevel } from "../../src/machines/pod/level.js";
import { startTestServer } from "../../src/testing/cluster.js";
import { ask } from "../ask.js";

const n = 300_000;
const many = (text: string): string => text.repeat(n / text.length);

test.each<[string, () => unknown]>([
  ["a quantity of zeros", () => parseQuantity(`${many("0")}!`)],
  ["a quantity of digits", () => parseQuantity(`${many("1")}!`)],
  ["a JSON string that does not end", () => parseExactJson(`[1111111111111111,"${many('\\"')}`)],
  ["a level without an end", () => parseLevel(many("a"))],
])("%s is refused at once", (_, read) => {
  expect(read).toThrow();
});

const pods = "/api/v1/namespaces/default/pods";
const container = { name: "c", image: "i" };
const podWith = (spec: object, more: object = {}): object => ({
  metadata: { name: "p" },
  spec: { containers: [{ ...container, ...more }], ...spec },
});
const volume = (source: object): object => podWith({ volumes: [{ name: "v", ...source }] });
const items = (paths: readonly string[]): object =>
  volume({ configMap: { name: "m", items: paths.map((path) => ({ key: "k", path })) } });
const field = (fieldPath: string): object =>
  podWith({}, { env: [{ name: "E", valueFrom: { fieldRef: { fieldPath } } }] });
const iscsi = { targetPortal: "1.2.3.4", lun: 0 };

test.each<[string, number, object]>([
  ["a subscript in a subscript", 422, field(many("['"))],
  ["names of iSCSI in a name", 422, volume({ iscsi: { ...iscsi, iqn: many("iqn.2024-01.") } })],
  ["names of iSCSI that end wrongly", 422, volume({ iscsi: { ...iscsi, iqn: `${many("iqn.2024-01.a:b")},` } })],
  ["a path with many slashes", 201, items([`a${many("/")}b`])],
  ["paths that do not overlap", 201, items(Array.from({ length: 20_000 }, (_, i) => `p${i}`))],
  ["paths that are the same", 201, items(Array.from({ length: 20_000 }, () => "p"))],
  [
    "ports that are the same",
    201,
    podWith({}, { ports: Array.from({ length: 20_000 }, () => ({ containerPort: 1 })) }),
  ],
  [
    "ports that differ on the host",
    201,
    podWith({}, { ports: Array.from({ length: 20_000 }, (_, i) => ({ containerPort: 1, hostPort: i + 1 })) }),
  ],
])("a pod with %s is judged at once", async (_, status, pod) => {
  await using server = await startTestServer({ disabledAdmission: ["ServiceAccount"] });
  const answer = await ask(server, "POST", `${pods}?dryRun=All`, pod);
  expect(answer.code).toBe(status);
});

test("a capability for each of very many is named, not more than a call takes", async () => {
  await using server = await startTestServer({ disabledAdmission: ["ServiceAccount"] });
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await ask(server, "POST", "/api/v1/namespaces", { metadata: { name: "safe", labels } });
  const add = Array.from({ length: 150_000 }, (_, i) => `C${i}`);
  const pod = podWith({}, { securityContext: { capabilities: { add } } });
  expect((await ask(server, "POST", "/api/v1/namespaces/safe/pods", pod)).code).toBe(403);
});

test.each([
  ["digits without a unit", { format: "duration" }, many("1"), 422],
  ["space around a letter", { "x-kubernetes-validations": [{ rule: "self.trim() != ''" }] }, `a${many(" ")}b`, 201],
  ["digits that are no number", { "x-kubernetes-validations": [{ rule: "double(self) > 1.0" }] }, `${many("1")}x`, 422],
])("a custom object with %s is judged at once", async (_, schema, value, status) => {
  await using server = await startTestServer();
  const properties = { value: { type: "string", maxLength: 400_000, ...schema } };
  const names = { plural: "texts", singular: "text", kind: "Text" };
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties } },
  };
  const made = await ask(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "texts.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names, versions: [version] },
  });
  expect(made.code).toBe(201);
  const texts = "/apis/example.com/v1/namespaces/default/texts";
  await expect.poll(async () => (await ask(server, "GET", texts)).kind).toBe("TextList");
  const object = { apiVersion: "example.com/v1", kind: "Text", metadata: { name: "t" }, value };
  expect((await ask(server, "POST", texts, object)).code).toBe(status);
});
