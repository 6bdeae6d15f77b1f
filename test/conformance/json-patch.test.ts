import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import type { ApiAnswer } from "./api-request.js";
import { bothServers, type BothServers } from "./embedded-request.js";

const path = "/api/v1/namespaces/default/configmaps";
const live = {
  metadata: {
    name: "jp",
    labels: { a: "1", "example.com/b": "2" },
    annotations: { n: "y" },
    finalizers: ["example.com/a", "example.com/b", "example.com/c"],
    ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u1" }],
  },
  data: { x: "1", y: "2" },
};

const pointers = [
  "/",
  "/data",
  "/data/x",
  "/data/z",
  "/data/x/deep",
  "data/x",
  "/metadata/labels",
  "/metadata/labels/a",
  "/metadata/labels/example.com~1b",
  "/metadata/annotations/example.com~1n",
  "/metadata/annotations/n~0",
  "/metadata/finalizers",
  ...["0", "1", "3", "-", "-1", "-4", "01", "+1", "x"].map((index) => `/metadata/finalizers/${index}`),
  "/metadata/ownerReferences/0/name",
  "/metadata/missing/x",
  "/immutable",
];
const pointer = fc.constantFrom(...pointers);
const value = fc.constantFrom<unknown>("1", "example.com/d", null, { q: "1" }, ["example.com/e"], true, 5, {}, []);
const operation = fc
  .record({
    op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "add", "replace", "test", "nonsense"),
    path: pointer,
    from: pointer,
    value,
    drop: fc.constantFrom("", "", "", "", "", "", "value", "path", "from"),
  })
  .map(({ drop, ...members }) => Object.fromEntries(Object.entries(members).filter(([name]) => name !== drop)));
const merges = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    value,
    fc.dictionary(
      fc.constantFrom("data", "metadata", "labels", "annotations", "finalizers", "x", "a", "q"),
      tie("value"),
      { maxKeys: 3 },
    ),
  ),
})).value;

describe.skipIf(!hasRealCluster())(
  "patches, beside a real kube-apiserver (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    let both: BothServers;
    beforeAll(async () => {
      both = await bothServers();
      for (const request of [both.real, both.embedded]) expect((await request("POST", path, live)).status).toBe(201);
    });
    afterAll(() => both?.[Symbol.asyncDispose]());

    const numRuns = process.env["COXSWAIN_FULL"] === "1" ? 3_000 : 200;
    const same = async (patch: unknown, contentType: string): Promise<void> => {
      const one = `${path}/jp?dryRun=All&fieldValidation=Ignore&fieldManager=t`;
      const [theirs, ours] = await Promise.all([
        both.real("PATCH", one, JSON.stringify(patch), { contentType }),
        both.embedded("PATCH", one, JSON.stringify(patch), { contentType }),
      ]);
      expect(seen(ours), theirs.body.message).toEqual(seen(theirs));
    };

    test("JSON patches give the same object, or the same refusal (property)", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 4 }), (patch) =>
          same(patch, "application/json-patch+json"),
        ),
        { numRuns },
      );
    });

    test("merge patches give the same object, or the same refusal (property)", async () => {
      await fc.assert(
        fc.asyncProperty(merges, (patch) => same(patch, "application/merge-patch+json")),
        { numRuns },
      );
    });
  },
);

function seen({ status, body }: ApiAnswer): unknown {
  if (status !== 200) return { status };
  const { metadata, ...rest } = body;
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  return { ...rest, labels, annotations, finalizers, ownerReferences };
}
