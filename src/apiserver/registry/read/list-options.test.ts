import { expect, test } from "vitest";
import type { StatusError } from "../../../api/index.js";
import { listOptions, parseListRevision, parseRevision } from "./list-options.js";

/** The answer's code and message. */
function refusal(run: () => unknown): readonly [number, string] | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    const { code, message = "" } = (error as StatusError).status;
    return [code, message.replace('ListOptions.meta.k8s.io "" is invalid: ', "")];
  }
}

const noNumber = 'strconv.ParseInt: parsing "": invalid syntax';
const needed =
  "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
const withToken = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided";

// answers of kube-apiserver 1.36
test.each([
  ["limit=", 400, noNumber],
  ["watch=1&timeoutSeconds=", 400, noNumber],
  ["limit=&labelSelector=a%20b", 400, noNumber],
  [
    "labelSelector=a%20b&resourceVersionMatch=x",
    400,
    "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
  ],
  ["fieldSelector=x&resourceVersionMatch=x", 400, "invalid selector: 'x'; can't understand 'x'"],
  ["watch=1&continue=x", 422, withToken],
  ["watch=1&continue=x&resourceVersion=5", undefined, undefined],
  ["watch=1&continue=x&sendInitialEvents=true", 422, needed],
  ["watch=1&continue=x&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", 422, withToken],
])("the options %s are judged in upstream's order", (query, code, message) => {
  const told = refusal(() => listOptions(new URLSearchParams(query), "list"));
  expect(told).toEqual(code === undefined ? undefined : [code, message]);
});

test("a watch from no version in particular asks for the initial events", () => {
  const initial = (query: string): boolean | undefined =>
    listOptions(new URLSearchParams(query), "watch").sendInitialEvents;
  expect(["", "resourceVersion=0", "resourceVersion=7"].map(initial)).toEqual([true, true, undefined]);
});

test("a revision has 64 bits and keeps its digits", () => {
  const [largest, beyond] = ["18446744073709551615", "18446744073709551616"];
  expect(parseListRevision(largest)).toBe(2n ** 64n - 1n);
  expect(parseListRevision("00000000000000000000007")).toBe(7n);
  const why = `resourceVersion: Invalid value: "${beyond}": strconv.ParseUint: parsing "${beyond}": value out of range`;
  expect(refusal(() => parseListRevision(beyond))).toEqual([400, `invalid resource version: ${why}`]);
  expect(refusal(() => parseRevision(beyond))).toEqual([500, why]);
});
