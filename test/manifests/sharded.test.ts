/** `coxswain manifests` of an operator whose replicas all work: no election, and the rights of a group. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Namespace } from "coxswain/api";
import { describe, expect, test } from "vitest";
import { ownNamespace } from "../../examples/testing/servers.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { eventually } from "../eventually.js";
import {
  fileOf,
  type Install,
  manifests,
  objectsOf,
  runAsInstalled,
  servers,
  temporaryFolder,
  toolOn,
  ways,
} from "./installed.js";
import { Meter, operator } from "./sharded-operator.js";

test("its pods compete for no lease, and may keep those of their group in their own namespace", async () => {
  const objects = await objectsOf("sharded-operator", "--namespace", "ops", "--replicas", "3");
  expect(objects.find(({ kind }) => kind === "Deployment")).toMatchObject({
    spec: {
      replicas: 3,
      template: { spec: { containers: [{ args: ["--metrics-address=:8080", "--log-format=json"] }] } },
    },
  });
  expect(objects.find(({ kind }) => kind === "Role")).toMatchObject({
    metadata: { name: "gauge", namespace: "ops" },
    rules: [
      {
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        verbs: ["create", "delete", "get", "list", "update"],
      },
    ],
  });
});

test("its chart keeps the leases in the release's namespace, and says what replicas do", async () => {
  const out = await temporaryFolder();
  expect((await manifests(fileOf("sharded-operator"), "--format", "helm", "--out", out)).err).toBe("");
  const [values, roles] = await Promise.all(
    ["values.yaml", "templates/rbac.yaml"].map((file) => readFile(join(out, file), "utf8")),
  );
  expect(values).toContain("# They share the objects.\nreplicas: 2\n");
  expect(roles).toMatch(/kind: Role\nmetadata:\n(?: .*\n)*? {2}namespace: "?\{\{ \.Release\.Namespace \}\}/);
});

for (const { where, open } of servers)
  describe.skipIf(!hasRealCluster())(`on ${where} (needs KUBEBUILDER_ASSETS for kubectl)`, () => {
    test("two of its replicas work with exactly these rights, each on its part", async () => {
      const server = await open();
      const { admin } = server;
      const [name, namespace] = [ownNamespace("meter"), ownNamespace("system")];
      const place = { name, namespace, file: fileOf("sharded-operator") };
      const uninstall = await (ways["kubectl apply -f"] as Install)(await toolOn(server), place);
      const { manager: one } = await runAsInstalled(server, { name, namespace, make: operator });
      await eventually("the first holds all shards", () => one.sharder?.held.length === 8);
      const { manager: two } = await runAsInstalled(server, { name, namespace, make: operator });
      await eventually("they share", () => [one, two].every(({ sharder }) => sharder?.held.length === 4));
      const spaces = Array.from({ length: 24 }, () => ownNamespace("work"));
      for (const space of spaces) {
        await admin.resource(Namespace).create({ metadata: { name: space } });
        await admin.resource(Meter, { namespace: space }).create({ metadata: { name: "a" } });
      }
      const found = await Promise.all(
        spaces.map((space) =>
          admin.resource(Meter, { namespace: space }).waitFor("a", (now) => now?.status?.by !== undefined),
        ),
      );
      const identities = [one, two].map(({ sharder }) => sharder?.identity);
      expect(new Set(found.map((meter) => meter?.status?.by))).toEqual(new Set(identities));
      await eventually("nothing is missing", () => [one, two].every((manager) => manager.problems().length === 0));
      await uninstall();
    });
  });
