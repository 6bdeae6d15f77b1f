import { expect, test } from "vitest";
import { Pod, ResourceClaim, ResourceSlice, ServiceCIDR } from "../api/index.js";
import type { Transport } from "../base/index.js";
import { Client } from "../client/index.js";
import { unservedKinds } from "./served.js";

/** A server of before aggregated discovery that serves pods and resource slices; one of its groups does not answer. */
const server: Transport = async ({ path }) => {
  const documents: Readonly<Record<string, object>> = {
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/api/v1": { resources: [{ name: "pods", kind: "Pod", namespaced: true, verbs: ["list"] }] },
    "/apis": {
      kind: "APIGroupList",
      groups: ["networking.k8s.io", "resource.k8s.io"].map((name) => ({
        name,
        versions: [{ groupVersion: `${name}/v1`, version: "v1" }],
      })),
    },
    "/apis/resource.k8s.io/v1": {
      resources: [{ name: "resourceslices", kind: "ResourceSlice", namespaced: false, verbs: ["list"] }],
    },
  };
  const document = documents[path];
  return { status: document === undefined ? 503 : 200, headers: {}, body: Buffer.from(JSON.stringify(document ?? {})) };
};

test("a kind is missing if its group was read and does not have it; a group that does not answer is given the benefit", async () => {
  await using client = new Client({ transport: server });
  const { signal } = new AbortController();
  const missing = await unservedKinds(client, [Pod, ResourceSlice, ResourceClaim, ServiceCIDR], signal);
  expect(missing).toEqual([ResourceClaim]);
});
