import { expect, test } from "vitest";
import type { KubeObject } from "../../api/index.js";
import { TooLargeError } from "./contract.js";
import { Versions } from "./versions.js";

const object = (name: string): KubeObject =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text: "x".repeat(5000) } }) as KubeObject;

const put = (key: string, expected: number) =>
  ({ type: "put", collection: "items", key, expected, object: object(key) }) as const;

const all = (): boolean => true;

test("versions that were replaced, deleted, taken back or refused leave no memory behind", () => {
  const state = new Versions({ revision: 0, freeze: false });
  const { reservedBytes: atFirst } = state;
  expect(atFirst).toBe(0);
  const keys = Array.from({ length: 500 }, (_, i) => `key-${i}`);
  for (const key of keys) state.commit([put(key, 0)], 0, all);
  for (const key of keys) state.commit([put(key, state.get("items", key)?.revision ?? 0)], 0, all);
  const settled = state.revision;
  for (const key of keys) state.commit([put(`${key}-more`, 0)], 0, all);
  state.rollback(settled);
  for (const key of keys) expect(() => state.commit([put(`${key}-large`, 0)], 0, () => false)).toThrow(TooLargeError);
  const full = state.reservedBytes;
  for (const key of keys) {
    const expected = state.get("items", key)?.revision ?? 0;
    for (const event of state.commit([{ type: "delete", collection: "items", key, expected }], 0, all)) {
      expect(event.departed?.object.metadata.resourceVersion).toBe(String(event.revision));
    }
  }
  state.compact(state.revision);
  expect(full).toBeGreaterThan(10 * slab);
  expect(state.reservedBytes).toBeLessThanOrEqual(slab);
});

test("the objects of replaced versions do not push out the ones in use", () => {
  const state = new Versions({ revision: 0, freeze: false });
  state.commit([put("quiet", 0)], 0, all);
  const quiet = state.get("items", "quiet")?.object;
  const megabytes = 20;
  for (let bytes = 0, expected = 0; bytes < megabytes * 1024 * 1024; bytes += 5_000) {
    state.commit([put("busy", expected)], 0, all);
    expected = state.revision;
  }
  expect(state.get("items", "quiet")?.object).toBe(quiet);
});

test("versions with equal labels share them", () => {
  const state = new Versions({ revision: 0, freeze: false });
  const labelled = (app: string): KubeObject => ({ ...object("a"), metadata: { name: "a", labels: { app } } });
  const seen = ["x", "x", "y"].map((app) => {
    const expected = state.revision;
    state.commit([{ type: "put", collection: "items", key: "a", expected, object: labelled(app) }], 0, all);
    return state.get("items", "a")?.labels;
  });
  expect(seen[1]).toBe(seen[0]);
  expect(seen[2]).toEqual({ app: "y" });
});

/** The slab that is being filled stays. */
const slab = 32 * 1024;
