import { describe, expect, test } from "vitest";
import type { HttpRequest } from "../../base/index.js";
import { type Answer, failure, scripted } from "../../../test/client/scripted.js";

describe("discovery", () => {
  const group = (name: string, version = "v1"): object => ({
    name,
    versions: [{ groupVersion: `${name}/${version}`, version }],
    preferredVersion: { groupVersion: `${name}/${version}`, version },
  });
  const resources = (groupVersion: string, ...entries: readonly object[]): Answer => ({
    body: { kind: "APIResourceList", groupVersion, resources: entries },
  });
  const legacy = (request: HttpRequest): Answer => {
    switch (request.path) {
      case "/api":
        return { body: { kind: "APIVersions", versions: ["v1"] } };
      case "/apis":
        return { body: { kind: "APIGroupList", groups: [group("good.test"), group("broken.test")] } };
      case "/api/v1":
        return resources(
          "v1",
          { name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: ["get"], shortNames: ["po"] },
          { name: "pods/status", singularName: "", namespaced: true, kind: "Pod", verbs: ["get"] },
        );
      case "/apis/good.test/v1":
        return resources("good.test/v1", {
          name: "things",
          singularName: "thing",
          namespaced: false,
          kind: "Thing",
          verbs: ["get"],
        });
      default:
        return { code: 503, body: failure(503, "ServiceUnavailable") };
    }
  };

  test("of an old server goes group by group, and one that is broken does not hide the rest", async () => {
    const { client } = scripted(legacy);
    const { resources: found, failures } = await client.discovery.all();
    expect(found.map(({ group: of, plural, scope, subresources }) => [of, plural, scope, subresources])).toEqual([
      ["", "pods", "Namespaced", ["status"]],
      ["good.test", "things", "Cluster", []],
    ]);
    expect(failures.map(({ apiVersion }) => apiVersion)).toEqual(["broken.test/v1"]);
    await expect(client.discovery.find("nothing")).rejects.toThrow(
      'resource type "nothing"; it could not be asked about broken.test/v1',
    );
  });

  test("is asked once, and again for a name that was not there", async () => {
    let defined = false;
    const list = (): Answer => ({
      body: {
        kind: "APIGroupDiscoveryList",
        items: defined
          ? [
              {
                metadata: { name: "new.test" },
                versions: [
                  {
                    version: "v1",
                    resources: [{ resource: "news", responseKind: { kind: "News" }, scope: "Cluster", verbs: ["get"] }],
                  },
                ],
              },
            ]
          : [{ metadata: { name: "stale.test" }, versions: [{ version: "v1", freshness: "Stale" }] }],
      },
    });
    const { client, asked, clock } = scripted((request) =>
      request.path === "/apis" ? list() : { code: 404, body: failure(404, "NotFound") },
    );
    expect((await client.discovery.all()).failures.map(({ apiVersion }) => apiVersion)).toEqual(["stale.test/v1"]);
    await client.discovery.all();
    expect(asked.length).toBe(2);
    defined = true;
    await expect(client.discovery.find("news")).rejects.toThrow("doesn't have");
    await clock.advance(1_000);
    expect((await client.dynamic("news")).type.kind).toBe("News");
    expect(asked.length).toBe(4);
  });
});
