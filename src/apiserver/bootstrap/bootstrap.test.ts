import { describe, expect, test } from "vitest";
import { busyClock } from "../../../test/busy-clock.js";
import { realAnswer } from "../../../test/real-answer.js";
import type { KubeObject } from "../../api/index.js";
import { typedForm, builtInTypeOf } from "../../api/schema/index.js";
import { hasRealCluster } from "../../testing/shared-envtest.js";
import { defaultRoles } from "./roles.js";
import { startApiServer } from "../server.js";

test("a server that is asked to has the roles that users expect", async () => {
  await using server = await startApiServer({ systemObjects: true });
  const names = (collection: string, prefix: string): readonly string[] => {
    const { items } = server.store.list({ collection: `rbac.authorization.k8s.io/${collection}`, prefix, from: "" });
    return items.map(({ object }) => object.metadata.name);
  };
  await expect.poll(() => names("rolebindings", "kube-system/").length, { timeout: 60_000 }).toBeGreaterThan(3);
  const expected = ["admin", "cluster-admin", "edit", "view", "system:node"];
  expect(names("clusterroles", "")).toEqual(expect.arrayContaining(expected));
});

test("a server that stops at once does not wait for its roles", async () => {
  // a clock on which each of them takes a slice of its own
  const server = await startApiServer({ systemObjects: true, clock: busyClock() });
  await server[Symbol.asyncDispose]();
  expect(server.store.revision).toBeLessThan(defaultRoles().length);
});

describe.skipIf(!hasRealCluster())("against a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)", () => {
  test.each(["clusterroles", "clusterrolebindings", "roles", "rolebindings"])("%s are the same", async (plural) => {
    const { items } = (await realAnswer(`/apis/rbac.authorization.k8s.io/v1/${plural}`)) as { items: KubeObject[] };
    const label = "kubernetes.io/bootstrapping";
    const kind = plural
      .replace("cluster", "Cluster")
      .replace("role", "Role")
      .replace("bindings", "Binding")
      .replace(/s$/, "");
    const wanted = kind.replace("clusterRole", "ClusterRole").replace(/^role/, "Role");
    const type = builtInTypeOf("rbac.authorization.k8s.io/v1", wanted);
    if (type === undefined) throw new Error(wanted);
    const ours = defaultRoles().filter((object) => object.kind === wanted);
    const essence = ({ metadata, ...rest }: KubeObject) => {
      const { name, namespace, labels, annotations } = metadata;
      const formed = typedForm(type, { ...rest, metadata: { name, namespace, labels, annotations } });
      const { kind: _kind, apiVersion: _version, ...content } = formed as unknown as KubeObject;
      // the rules of these come from a controller, which another test may run on the same server
      return "aggregationRule" in content ? { ...content, rules: "aggregated" } : content;
    };
    const order = (a: { metadata: KubeObject["metadata"] }, b: { metadata: KubeObject["metadata"] }) =>
      `${a.metadata.namespace}/${a.metadata.name}` < `${b.metadata.namespace}/${b.metadata.name}` ? -1 : 1;
    const theirs = items.filter(({ metadata }) => metadata.labels?.[label] === "rbac-defaults");
    expect(ours.map(essence).sort(order)).toEqual(theirs.map(essence).sort(order));
  });
});

test("API services follow the groups that custom kinds bring and take away", async () => {
  await using server = await startApiServer({ systemObjects: true });
  const transport = server.transport();
  const { signal } = new AbortController();
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const schema = { openAPIV3Schema: { type: "object" } };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  const headers = { "content-type": "application/json" };
  await transport({ method: "POST", path, headers, body: Buffer.from(JSON.stringify(definition)) }, signal);
  const service = (): unknown => server.store.get("apiregistration.k8s.io/apiservices", "v1.example.com")?.object;
  await expect.poll(service, { timeout: 60_000 }).toMatchObject({
    spec: { group: "example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 },
    status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] },
  });
  await transport({ method: "DELETE", path: `${path}/widgets.example.com`, headers: {} }, signal);
  await expect.poll(service, { timeout: 60_000 }).toBeUndefined();
});
