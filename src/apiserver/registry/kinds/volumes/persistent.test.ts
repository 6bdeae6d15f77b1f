import { expect, test } from "vitest";
import { ask } from "../../../../../test/ask.js";
import { startTestServer } from "../../../../testing/cluster.js";

const volumes = "/api/v1/persistentvolumes";

const affinityTo = (key: string, value: string): object => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: [value] }] }] },
});

test("the affinity of a volume may be set once, and then only go over to stable names of labels", async () => {
  await using server = await startTestServer({});
  const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } };
  await ask(server, "POST", volumes, { metadata: { name: "a" }, spec });
  const change = (nodeAffinity: object | null) =>
    ask(server, "PATCH", `${volumes}/a`, { spec: { nodeAffinity } }).then(({ code, message }) => [code, message]);
  expect(await change(affinityTo("beta.kubernetes.io/arch", "amd64"))).toEqual([200, undefined]);
  const refused = [422, expect.stringContaining("field is immutable, except for updating from beta label to GA")];
  expect(await change(affinityTo("beta.kubernetes.io/arch", "arm64"))).toEqual(refused);
  expect(await change(null)).toEqual(refused);
  expect(await change(affinityTo("kubernetes.io/arch", "amd64"))).toEqual([200, undefined]);
});
