import { expect, test } from "vitest";
import type { KubeObject } from "../../api/index.js";
import { scaleErrors } from "./scale-rules.js";

const paths = { spec: ["spec", "r"], status: ["status", "r"], selector: ["status", "sel"] };

const faultsOf = (value: object, of: "object" | "status" = "object"): readonly string[] =>
  scaleErrors(value as KubeObject, paths, of).map(({ field, message }) => `${field}: ${message}`);

// answers of kube-apiserver 1.36
test.each([
  [{}, []],
  [{ spec: null, status: {} }, []],
  [{ spec: { r: 2147483647 }, status: { r: 0, sel: "((" } }, []],
  [{ spec: { r: -1 } }, [".spec.r: Invalid value: -1: should be a non-negative integer"]],
  [{ spec: { r: 2147483648 } }, [".spec.r: Invalid value: 2147483648: should be less than or equal to 2147483647"]],
  [{ spec: { r: 1.5 } }, [accessor(".spec.r", "1.5 is of the type float64, expected int64")]],
  [{ spec: { r: null } }, [accessor(".spec.r", "<nil> is of the type <nil>, expected int64")]],
  [{ spec: { r: [] } }, [accessor(".spec.r", "[] is of the type []interface {}, expected int64")]],
  [{ spec: "x" }, [accessor(".spec.r", "x is of the type string, expected map[string]interface{}")]],
  [
    { spec: { r: "x" }, status: { r: "y", sel: 3 } },
    [
      accessor(".spec.r", "x is of the type string, expected int64"),
      accessor(".status.r", "y is of the type string, expected int64"),
      accessor(".status.sel", "3 is of the type int64, expected string", '""'),
    ],
  ],
])("the replicas and the selector of %j are judged", (object, faults) => {
  expect(faultsOf(object)).toEqual(faults);
});

test("a write of the status is judged by the status alone", () => {
  expect(faultsOf({ spec: { r: -1 }, status: { r: -2 } }, "status")).toEqual([
    ".status.r: Invalid value: -2: should be a non-negative integer",
  ]);
});

function accessor(path: string, why: string, shown = "0"): string {
  return `${path}: Invalid value: ${shown}: ${path} accessor error: ${why}`;
}
