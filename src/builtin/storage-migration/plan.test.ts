import { expect, test } from "vitest";
import type { StorageVersionMigration } from "../../api/index.js";
import { failed, migrationStep, succeeded } from "./plan.js";

const now = Date.parse("2026-01-01T00:00:00Z");

const migration = (name: string, change: Partial<StorageVersionMigration> = {}): StorageVersionMigration => ({
  apiVersion: "storagemigration.k8s.io/v1beta1",
  kind: "StorageVersionMigration",
  metadata: { name, creationTimestamp: "2026-01-01T00:00:00Z", generation: 1 },
  spec: { resource: { group: "apps", resource: "deployments" } },
  ...change,
});

const running = (status = {}): Partial<StorageVersionMigration> => ({
  status: {
    conditions: [{ type: "Running", status: "True", reason: "MigrationRunning", message: "", lastTransitionTime: "" }],
    ...status,
  },
});

const stepOf = (own: StorageVersionMigration, ...others: readonly StorageVersionMigration[]) =>
  migrationStep(own, [...others, own], now);

test("one migration of a resource runs at a time, the oldest first", () => {
  expect(stepOf(migration("a"), migration("b"))).toMatchObject({
    type: "start",
    status: { conditions: [{ type: "Running", status: "True", message: "The migration is running" }] },
  });
  expect(stepOf(migration("b"), migration("a"))).toEqual({ type: "none" });
  expect(stepOf(migration("a"), migration("b", running()))).toEqual({ type: "none" });
  const another = { spec: { resource: { group: "", resource: "pods" } } };
  expect(stepOf(migration("b"), migration("a", { ...another, ...running() })).type).toBe("start");
  const over = { status: failed({}, "", now) };
  expect(stepOf(migration("b"), migration("a", over)).type).toBe("start");
});

test("a migration that runs finds its revision, then writes, and ends once", () => {
  expect(stepOf(migration("a", running()))).toEqual({ type: "resolve" });
  const written = migration("a", running({ resourceVersion: "7" }));
  expect(stepOf(written)).toEqual({ type: "migrate", upTo: "7" });
  const done = { ...written, status: succeeded(written.status ?? {}, now) };
  const end = stepOf(done);
  expect(end).toMatchObject({
    type: "end",
    succeeded: true,
    status: {
      conditions: [
        { type: "Running", status: "False", reason: "MigrationCompleted", observedGeneration: 1 },
        { type: "Succeeded", status: "True", reason: "StorageVersionMigrationSucceeded" },
      ],
    },
  });
  if (end.type === "end") expect(stepOf({ ...done, status: end.status })).toEqual({ type: "none" });
  const lost = { ...written, status: failed(written.status ?? {}, "why", now) };
  expect(stepOf(lost)).toMatchObject({ type: "end", succeeded: false });
});
