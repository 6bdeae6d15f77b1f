import { expect, test } from "vitest";
import { yamlToJson } from "../../../src/api/yaml/index.js";
import { managersOf } from "./managers.js";
import { linesOf } from "./yaml-lines.js";
import { addressOf, routeOf } from "../state/route.js";

const object = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "p",
    labels: { "app.kubernetes.io/name": "x" },
    annotations: { empty: "", number: "1", yes: "yes", colon: "a: b", text: "two\nlines" },
    finalizers: ["a/b"],
    managedFields: [
      {
        manager: "kubectl",
        operation: "Apply",
        time: "2026-01-01T00:00:00Z",
        fieldsV1: {
          "f:metadata": { "f:labels": { "f:app.kubernetes.io/name": {} }, "f:finalizers": { 'v:"a/b"': {} } },
          "f:spec": { "f:containers": { 'k:{"name":"c"}': { ".": {}, "f:image": {} } } },
        },
      },
      { manager: "kubelet", subresource: "status", fieldsV1: { "f:status": { "f:phase": {}, "f:gone": {} } } },
    ],
  },
  spec: {
    containers: [
      { name: "b", ports: [] },
      { name: "c", image: "i", args: [["x"], { deep: [1, null] }] },
    ],
    x: {},
  },
  status: { phase: "Running" },
};

const textOf = (value: unknown): string =>
  linesOf(value)
    .map(
      ({ indent, dash, name, value: is }) =>
        `${"  ".repeat(indent)}${dash ? "- " : ""}${name === "" ? "" : `${name}: `}${is}`,
    )
    .join("\n");

test("the lines are YAML of the object, without its managed fields", () => {
  const { managedFields: _, ...metadata } = object.metadata;
  const { args: _args, ...c } = object.spec.containers[1] as Record<string, unknown>;
  const plain = { ...object, metadata, spec: { ...object.spec, containers: [object.spec.containers[0], c] } };
  expect(JSON.parse(yamlToJson(textOf(plain)).json)).toEqual(plain);
});

test("each field has the managers who set it, by its path in the lines", () => {
  const managers = managersOf(object);
  const names = Object.fromEntries(Array.from(managers, ([path, all]) => [path, all.map(({ name }) => name)]));
  expect(names).toEqual({
    "metadata.labels.app.kubernetes.io/name": ["kubectl"],
    "metadata.finalizers[0]": ["kubectl"],
    "spec.containers[1]": ["kubectl"],
    "spec.containers[1].image": ["kubectl"],
    "status.phase": ["kubelet (status)"],
  });
  const paths = new Set(linesOf(object).map(({ path }) => path));
  expect(
    ["spec.containers[1].image", "status.phase", "metadata.finalizers[0]"].filter((path) => !paths.has(path)),
  ).toEqual([]);
});

test("a view and its settings survive the way through the address", () => {
  const settings = { key: "a/b c&d=e#f", text: "ü" };
  expect(routeOf(addressOf("queues", { ...settings, empty: "" }))).toEqual({ view: "queues", settings });
  expect(routeOf("#/nonsense?x=1")).toEqual({ view: "flow", settings: { x: "1" } });
  expect(routeOf("")).toEqual({ view: "flow", settings: {} });
});
