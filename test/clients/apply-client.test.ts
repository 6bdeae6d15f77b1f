import fc from "fast-check";
import { expect, test } from "vitest";
import { applyConflicts, ConfigMap, Deployment, extractOwned, isConflict } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import { startTestServer } from "../../src/testing/cluster.js";

const labels = { app: "web" };

function deployment(image: string, more: object = {}): Parameters<ReturnType<typeof deployments>["apply"]>[0] {
  return {
    metadata: { name: "web", namespace: "default" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image, ...more }] } },
    },
  };
}

function deployments(client: Client) {
  return client.resource(Deployment);
}

test("a refused apply lists owner and path, and force takes over", async () => {
  await using server = await startTestServer({ clock: new FakeClock() });
  const alice = new Client({ transport: server.transport(), fieldManager: "alice" });
  const bob = new Client({ transport: server.transport(), fieldManager: "bob" });
  await deployments(alice).apply(deployment("i:1"));
  const refused = await deployments(bob)
    .apply(deployment("i:2"))
    .catch((error: unknown) => error);
  expect(isConflict(refused)).toBe(true);
  const field = '.spec.template.spec.containers[name="c"].image';
  expect(applyConflicts(refused)).toEqual([{ manager: "alice", operation: "Apply", field }]);
  const taken = await deployments(bob).apply(deployment("i:2"), { force: true });
  expect(taken.spec?.template.spec?.containers[0]?.image).toBe("i:2");
});

test("what a manager owns can be taken from the live object, and applied again without effect", async () => {
  await using server = await startTestServer({ clock: new FakeClock() });
  const client = new Client({ transport: server.transport(), fieldManager: "alice" });
  const applied = deployment("i:1", { ports: [{ containerPort: 80 }], env: [{ name: "A", value: "1" }] });
  const live = await deployments(client).apply(applied);
  const owned = extractOwned(live, "alice");
  expect(owned).toEqual({
    apiVersion: "apps/v1",
    kind: "Deployment",
    ...applied,
    spec: {
      ...applied.spec,
      template: {
        ...applied.spec?.template,
        spec: {
          containers: [
            { ...applied.spec?.template?.spec?.containers?.[0], ports: [{ containerPort: 80, protocol: "TCP" }] },
          ],
        },
      },
    },
  });
  const again = await deployments(client).apply(applied);
  expect(again.metadata.resourceVersion).toBe(live.metadata.resourceVersion);
  expect(extractOwned(live, "bob")).toBeUndefined();
});

test("owned parts of what two managers applied are what each applied (property)", async () => {
  await using server = await startTestServer({ clock: new FakeClock() });
  const clients = (["alice", "bob"] as const).map(
    (fieldManager) => new Client({ transport: server.transport(), fieldManager }),
  );
  const maps = clients.map((client) => client.resource(ConfigMap));
  const data = (...keys: string[]): fc.Arbitrary<Record<string, string>> =>
    fc.dictionary(fc.constantFrom(...keys), fc.constantFrom("1", "2"), { minKeys: 1 });
  let names = 0;
  await fc.assert(
    fc.asyncProperty(data("a", "b"), data("c", "d"), async (first, second) => {
      const metadata = { name: `m${names++}`, namespace: "default" };
      await maps[0]?.apply({ metadata, data: first });
      const live = await maps[1]?.apply({ metadata, data: second });
      if (live === undefined) throw new Error("no answer");
      expect([extractOwned(live, "alice")?.data, extractOwned(live, "bob")?.data]).toEqual([first, second]);
    }),
    { numRuns: 30 },
  );
});
