import { expect, test } from "vitest";
import type { KubeObject } from "../object.js";
import { StatusError } from "../status.js";
import { applyConflicts, extractOwned, fieldManagers } from "./index.js";

const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: {
    name: "web",
    namespace: "shop",
    uid: "u",
    labels: { a: "1", b: "2" },
    finalizers: ["x/a", "x/b"],
    managedFields: [
      {
        manager: "mine",
        operation: "Apply",
        apiVersion: "v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": { "f:labels": { "f:a": {} }, "f:finalizers": { 'v:"x/b"': {} } },
          "f:spec": {
            "f:selector": {},
            "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {}, "f:targetPort": {} } },
          },
        },
      },
      {
        manager: "mine",
        operation: "Update",
        apiVersion: "v1",
        subresource: "status",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:status": { "f:loadBalancer": {} } },
      },
    ],
  },
  spec: {
    selector: { app: "web" },
    type: "ClusterIP",
    ports: [
      { name: "s", port: 443, protocol: "TCP" },
      { name: "w", port: 80, protocol: "TCP", targetPort: 8080 },
      { name: "w", port: 80, protocol: "UDP", targetPort: 8080 },
    ],
  },
  status: { loadBalancer: { ingress: [] } },
} as KubeObject;

test("what a manager owns is what it would apply again", () => {
  expect(extractOwned(service, "mine")).toEqual({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "shop", labels: { a: "1" }, finalizers: ["x/b"] },
    spec: { selector: { app: "web" }, ports: [{ port: 80, protocol: "TCP", targetPort: 8080 }] },
  });
  expect(extractOwned(service, "mine", { operation: "Update", subresource: "status" })).toEqual({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "shop" },
    status: { loadBalancer: { ingress: [] } },
  });
  expect(extractOwned(service, "nobody")).toBeUndefined();
});

test("the managers of an object are listed without their fields", () => {
  expect(fieldManagers(service)[1]).toEqual({
    manager: "mine",
    operation: "Update",
    apiVersion: "v1",
    subresource: "status",
  });
});

test("a refused apply lists owner and path", () => {
  const causes = [
    { reason: "FieldManagerConflict", message: 'conflict with "kubectl-edit" using apps/v1', field: ".spec.replicas" },
    {
      reason: "FieldManagerConflict",
      message: 'conflict with "hpa" with subresource "scale"',
      field: ".spec.replicas",
    },
    { reason: "FieldValueInvalid", message: "no", field: "spec" },
  ];
  const error = new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: "Conflict",
    details: { causes },
    code: 409,
  });
  expect(applyConflicts(error)).toEqual([
    { manager: "kubectl-edit", operation: "Update", field: ".spec.replicas" },
    { manager: "hpa", operation: "Apply", subresource: "scale", field: ".spec.replicas" },
  ]);
  expect(applyConflicts(new Error("x"))).toEqual([]);
});
