import { describe, expect, test } from "vitest";
import { hasRealCluster } from "../../testing/shared-envtest.js";
import { realAnswer } from "../../../test/real-answer.js";
import type { ServedGroup } from "../contracts/served.js";
import {
  aggregatedDiscovery,
  aggregatedMediaType,
  apiGroup,
  apiGroupList,
  apiResourceList,
  builtInGroups,
} from "./index.js";

const custom: ServedGroup = {
  group: "example.com",
  versions: [
    {
      version: "v1",
      resources: [
        {
          group: "example.com",
          version: "v1",
          kind: "Foo",
          plural: "foos",
          singular: "foo",
          listKind: "FooList",
          scope: "Namespaced",
          shortNames: ["fo"],
          categories: [],
          verbs: ["get", "list"],
          subresources: [
            { name: "scale", kind: { group: "autoscaling", version: "v1", kind: "Scale" }, verbs: ["get"] },
          ],
        },
      ],
    },
  ],
};

test("a custom group appears in every document beside the built-in ones", () => {
  const groups = [...builtInGroups(), custom];
  expect(apiGroup(groups, "example.com")).toEqual({
    kind: "APIGroup",
    apiVersion: "v1",
    name: "example.com",
    versions: [{ groupVersion: "example.com/v1", version: "v1" }],
    preferredVersion: { groupVersion: "example.com/v1", version: "v1" },
  });
  const legacy = apiResourceList(groups, "example.com", "v1");
  expect(legacy?.resources.map(({ name, group, kind }) => [name, group, kind])).toEqual([
    ["foos", undefined, "Foo"],
    ["foos/scale", "autoscaling", "Scale"],
  ]);
  expect(aggregatedDiscovery(groups, "/apis")).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ metadata: { name: "example.com" } })]) as unknown,
  });
});

test("what is not served has no document", () => {
  expect(apiGroup(builtInGroups(), "nope")).toBeUndefined();
  expect(apiResourceList(builtInGroups(), "apps", "v1beta1")).toBeUndefined();
  expect(apiResourceList(builtInGroups(), "storage.k8s.io", "v1beta1")).toBeUndefined();
  expect(apiResourceList(builtInGroups(), "storage.k8s.io", "v1")).toBeDefined();
});

describe.skipIf(!hasRealCluster())("against a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)", () => {
  test("all discovery documents are the same", async () => {
    const groups = builtInGroups();
    const onlyBuiltIn = (name: string) => groups.some(({ group }) => group === name);
    const realGroups = (await realAnswer("/apis")) as { groups: { name: string }[] };
    expect(apiGroupList(groups)).toEqual({
      ...realGroups,
      groups: realGroups.groups.filter(({ name }) => onlyBuiltIn(name)),
    });
    for (const { group, versions } of groups) {
      for (const { version } of versions) {
        const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
        expect(apiResourceList(groups, group, version)).toEqual(await realAnswer(path));
      }
    }
  });

  test("aggregated discovery is the same", async () => {
    for (const root of ["/api", "/apis"] as const) {
      const real = (await realAnswer(root, aggregatedMediaType)) as { items: { metadata: { name?: string } }[] };
      const builtIn = real.items.filter(({ metadata }) =>
        builtInGroups().some(({ group }) => group === (metadata.name ?? "")),
      );
      expect(aggregatedDiscovery(builtInGroups(), root)).toEqual({ ...real, items: builtIn });
    }
  });
});
