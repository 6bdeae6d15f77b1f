import { describe, expect, test } from "vitest";
import type { Secret, ServiceAccount } from "../../api/index.js";
import { fateOf, isTrackedLongEnough } from "./legacy-cleaner.js";

const now = Date.parse("2026-06-15T12:00:00Z");
const account: ServiceAccount = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "robot", namespace: "default", uid: "u" },
  secrets: [{ name: "robot-token-abcde" }],
};

function fate(change: Partial<Secret["metadata"]> = {}, mounted: readonly string[] = [], type?: string): string {
  const secret: Secret = {
    apiVersion: "v1",
    kind: "Secret",
    type: type ?? "kubernetes.io/service-account-token",
    metadata: {
      name: "robot-token-abcde",
      namespace: "default",
      creationTimestamp: "2024-01-01T00:00:00Z",
      annotations: { "kubernetes.io/service-account.name": "robot", "kubernetes.io/service-account.uid": "u" },
      ...change,
    },
  };
  const around = { now, isMounted: (name: string) => mounted.includes(name) };
  return fateOf(secret, { ...around, account: (name) => (name === "robot" ? account : undefined) });
}

const used = (date: string) => ({ labels: { "kubernetes.io/legacy-token-last-used": date } });
const marked = (date: string) => ({ labels: { "kubernetes.io/legacy-token-invalid-since": date } });

describe("a generated token that nobody uses", () => {
  for (const [name, got, expected] of [
    ["is marked first", fate(), "mark"],
    ["is marked if its last use is over a year ago", fate(used("2025-06-14")), "mark"],
    ["is marked again if the mark cannot be read", fate(marked("soon")), "mark"],
    ["is deleted a year after the mark", fate(marked("2025-06-14")), "delete"],
    ["stays in the year after the mark", fate(marked("2025-06-15")), "keep"],
    ["stays if it is young", fate({ creationTimestamp: "2025-12-01T00:00:00Z" }), "keep"],
    ["stays if it was used in the last year", fate(used("2025-06-15")), "keep"],
    ["stays if its last use cannot be read", fate(used("2025-02-31")), "keep"],
    ["stays if a pod mounts it", fate({}, ["robot-token-abcde"]), "keep"],
    ["stays if its account does not list it", fate({ name: "by-hand" }), "keep"],
    [
      "stays if its account is another by now",
      fate({
        annotations: { "kubernetes.io/service-account.name": "robot", "kubernetes.io/service-account.uid": "v" },
      }),
      "keep",
    ],
    ["stays if its account is unknown", fate({ annotations: {} }), "keep"],
    ["stays if it is on its way out", fate({ deletionTimestamp: "2026-06-15T11:00:00Z" }), "keep"],
    ["is a token, not another Secret", fate({}, [], "Opaque"), "keep"],
  ] as const) {
    test(name, () => expect(got).toBe(expected));
  }
});

test("no token is called unused before uses have been noted for a year and a day", () => {
  expect(isTrackedLongEnough("2025-06-14", now)).toBe(true);
  expect(isTrackedLongEnough("2025-06-15", now)).toBe(false);
  expect(isTrackedLongEnough("yesterday", now)).toBe(false);
  expect(isTrackedLongEnough(undefined, now)).toBe(false);
});
