/** The client's promises about kinds without a type, as cases that every server must pass. */
import { expect, test } from "vitest";
import { CustomResourceDefinition, isNotFound } from "../../src/api/index.js";
import { systemClock } from "../../src/base/index.js";
import type { Client } from "../../src/client/index.js";
import { patienceMs } from "../eventually.js";

export function dynamicCases(place: () => Promise<string>, client: () => Client): void {
  test("a kind that was just defined is found and used without its type", async () => {
    const namespace = await place();
    const group = `${namespace}.example.test`;
    const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;
    await client()
      .resource(CustomResourceDefinition)
      .create({
        metadata: { name: `widgets.${group}` },
        spec: {
          group,
          scope: "Namespaced",
          names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"] },
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
        },
      });
    const isEstablished = (crd: CustomResourceDefinition | undefined): boolean =>
      crd?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false;
    await client().resource(CustomResourceDefinition).waitFor(`widgets.${group}`, isEstablished);
    const widgets = await untilFound(() =>
      client().dynamic({ apiVersion: `${group}/v1`, kind: "Widget" }, { namespace }),
    );
    expect(widgets.type).toMatchObject({
      plural: "widgets",
      singular: "widget",
      scope: "Namespaced",
      shortNames: ["wd"],
    });
    await retryWhileMissing(() => widgets.create({ metadata: { name: "a" }, size: { big: true } }));
    const list = await widgets.list();
    expect(list.items).toMatchObject([{ kind: "Widget", apiVersion: `${group}/v1`, size: { big: true } }]);
    expect(list.metadata.resourceVersion).toMatch(/^[1-9]/);
    const named = await client().discovery.find(`widgets.${group}`);
    expect(named.kind).toBe("Widget");
  });

  test("resources are found by all their names; the server tells its version and schemas", async () => {
    const { discovery } = client();
    const found = await Promise.all(
      ["po", "pods", "pod", "Pod", "deploy", "deployments.apps", "deployments.v1.apps", "nope"].map((name) =>
        discovery.find(name).then(
          ({ group, plural }) => `${group}/${plural}`,
          (error: Error) => error.message,
        ),
      ),
    );
    const deployments = "apps/deployments";
    const missing = `the server doesn't have a resource type "nope"`;
    expect(found).toEqual(["/pods", "/pods", "/pods", "/pods", deployments, deployments, deployments, missing]);
    expect((await discovery.findKind({ group: "apps", kind: "Deployment" })).subresources).toContain("scale");
    expect(Number((await discovery.version()).major)).toBe(1);
    expect(await discovery.openapi({ group: "apps", version: "v1" })).toHaveProperty("components.schemas");
    // a real server is not ready for a moment when its etcd is slow to answer
    await expect.poll(() => client().getText("/readyz")).toBe("ok");
  });
}

/** Discovery shows a custom kind a moment after its definition. */
async function untilFound<T>(look: () => Promise<T>): Promise<T> {
  return retried(look, () => true);
}

async function retryWhileMissing<T>(act: () => Promise<T>): Promise<T> {
  return retried(act, isNotFound);
}

async function retried<T>(act: () => Promise<T>, mayPass: (error: unknown) => boolean): Promise<T> {
  const deadline = systemClock.monotonic() + patienceMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (systemClock.monotonic() > deadline || !mayPass(error)) throw error;
      await systemClock.sleep(100, new AbortController().signal);
    }
  }
}
