import { expect, test } from "vitest";
import type { KubeObject, Pod } from "../../api/index.js";
import { typedForm, typeOfKind } from "../../api/schema/index.js";
import { builtInGroups } from "../discovery/index.js";
import { humanDuration, parseJsonPath, rendererOf } from "./index.js";

const second = 1000;

const minute = 60 * second;

const hour = 60 * minute;

const day = 24 * hour;

test.each([
  [-5 * second, "<invalid>"],
  [-1 * second, "0s"],
  [119 * second, "119s"],
  [2 * minute, "2m"],
  [9 * minute + 59 * second, "9m59s"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [7 * hour + 5 * minute, "7h5m"],
  [47 * hour, "47h"],
  [2 * day + 1 * hour, "2d1h"],
  [8 * day, "8d"],
  [729 * day, "729d"],
  [3 * 365 * day + 2 * day, "3y2d"],
  [9 * 365 * day, "9y"],
])("%d ms is %s", (ms, text) => {
  expect(humanDuration(ms)).toBe(text);
});

const podTable = rendererOf({ group: "", version: "v1", kind: "Pod" });

function podCells(pod: Omit<Pod, "kind" | "apiVersion" | "metadata">, metadata = {}): readonly unknown[] {
  const object: Pod = { kind: "Pod", apiVersion: "v1", metadata: { name: "p", ...metadata }, ...pod };
  return podTable.cells(object, 1000 * second);
}

const running = { name: "c", ready: true, restartCount: 0, image: "", imageID: "", state: { running: {} } };

const init = { name: "i", ready: false, restartCount: 1, image: "", imageID: "" };

const two = { containers: [{ name: "c" }, { name: "d" }] };

const withInit = { ...two, initContainers: [{ name: "i" }, { name: "j" }] };

test("a pod's status is what its containers do", () => {
  const status = (pod: Omit<Pod, "kind" | "apiVersion" | "metadata">, metadata = {}) =>
    podCells(pod, metadata).slice(1, 4);
  expect(status({ spec: two, status: { phase: "Pending" } })).toEqual(["0/2", "Pending", "0"]);
  expect(status({ spec: two, status: { phase: "Running", containerStatuses: [running] } })).toEqual([
    "1/2",
    "Running",
    "0",
  ]);
  const crashing = {
    ...running,
    ready: false,
    restartCount: 3,
    state: { waiting: { reason: "CrashLoopBackOff" } },
    lastState: { terminated: { exitCode: 1, finishedAt: "1970-01-01T00:15:00Z" } },
  };
  expect(status({ spec: two, status: { phase: "Running", containerStatuses: [running, crashing] } })).toEqual([
    "1/2",
    "CrashLoopBackOff",
    "3 (100s ago)",
  ]);
  const done = { ...running, ready: false, state: { terminated: { exitCode: 0, reason: "Completed" } } };
  expect(status({ spec: two, status: { phase: "Running", containerStatuses: [done, running] } })[1]).toBe("NotReady");
  const killed = { ...running, ready: false, state: { terminated: { exitCode: 137, signal: 9 } } };
  expect(status({ spec: two, status: { phase: "Failed", containerStatuses: [killed] } })[1]).toBe("Signal:9");
  expect(
    status({
      spec: withInit,
      status: { phase: "Pending", initContainerStatuses: [{ ...init, state: { running: {} } }] },
    }),
  ).toEqual(["0/2", "Init:0/2", "1"]);
  const failed = { ...init, state: { terminated: { exitCode: 2 } } };
  expect(status({ spec: withInit, status: { phase: "Pending", initContainerStatuses: [failed] } })[1]).toBe(
    "Init:ExitCode:2",
  );
  expect(status({ spec: two, status: { phase: "Running" } }, { deletionTimestamp: "1970-01-01T00:00:00Z" })[1]).toBe(
    "Terminating",
  );
});

test("every kind has as many cells as columns, even if it has nothing but a name", () => {
  const listed = builtInGroups().flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
  for (const resource of listed.filter(({ verbs }) => verbs.includes("list"))) {
    const type = typeOfKind(resource);
    if (type === undefined) throw new Error(resource.kind);
    const empty = typedForm(type, { kind: resource.kind, metadata: { name: "x" } }) as unknown as KubeObject;
    const { columns, cells } = rendererOf(resource);
    // this one has one too many in every real server
    const extra = resource.kind === "IPAddress" ? 1 : 0;
    expect([resource.kind, cells(empty, 0).length]).toEqual([resource.kind, columns.length + extra]);
  }
});

test("pods that have run their course and flow schemas by precedence", () => {
  const pod = { kind: "Pod", apiVersion: "v1", metadata: { name: "p" }, status: { phase: "Failed" } } as KubeObject;
  const said = [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }];
  expect(podTable.conditions?.(pod)).toEqual(said);
  const flow = (name: string, matchingPrecedence: number) =>
    ({ metadata: { name }, spec: { matchingPrecedence } }) as never;
  const { compare } = rendererOf({ group: "flowcontrol.apiserver.k8s.io", version: "v1", kind: "FlowSchema" });
  const names = [flow("b", 2), flow("c", 1), flow("a", 2)]
    .sort(compare)
    .map(({ metadata }: KubeObject) => metadata.name);
  expect(names).toEqual(["c", "a", "b"]);
});

test("JSONPath finds fields, items, filters and nothing where nothing is", () => {
  const object = {
    a: {
      "b.c": 1,
      list: [
        { type: "X", n: 1 },
        { type: "Ready", n: 2 },
      ],
    },
  };
  const find = (path: string) => parseJsonPath(path)(object);
  expect(find(".a['b.c']")).toEqual([1]);
  expect(find(".a.b\\.c")).toEqual([1]);
  expect(find('.a.list[?(@.type=="Ready")].n')).toEqual([2]);
  expect(find(".a.list[?(@.n>1)].type")).toEqual(["Ready"]);
  expect(find(".a.list[*].n")).toEqual([1, 2]);
  expect(find(".a.list[-1:].n")).toEqual([2]);
  expect(find("..n")).toEqual([1, 2]);
  expect(find(".a.nothing.at.all")).toEqual([]);
  expect(() => parseJsonPath(".a[")).toThrow("expected");
});
