import { inOneGo } from "../../base/index.js";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../api/index.js";
import { StatusError } from "../../api/index.js";
import { builtInTypeOf } from "../../api/schema/index.js";
import { jsonCodec, protobufCodec } from "./index.js";

const examples = upstreamExamples();

/** The examples that upstream publishes with its API module, if the go client has fetched it: every kind as JSON and as protobuf. */
function upstreamExamples(): string | undefined {
  try {
    const cache = execFileSync("go", ["env", "GOMODCACHE"], { encoding: "utf8" }).trim();
    const folder = join(cache, "k8s.io/api@v0.36.3/testdata/HEAD");
    return existsSync(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

interface Example {
  readonly name: string;
  readonly json: KubeObject;
  readonly protobuf: Buffer;
}

function readExamples(folder: string): readonly Example[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const all = names.map((name) => ({
    name,
    json: JSON.parse(readFileSync(join(folder, name), "utf8")) as KubeObject,
    protobuf: readFileSync(join(folder, name.replace(/json$/, "pb"))),
  }));
  return all.filter(({ json }) => builtInTypeOf(json.apiVersion, json.kind) !== undefined);
}

describe.skipIf(examples === undefined)("upstream's examples (skipped where the go client has no k8s.io/api)", () => {
  const all = examples === undefined ? [] : readExamples(examples);

  test("there is one for every kind that is served", () => {
    expect(all.length).toBeGreaterThan(100);
  });

  test("decoding gives their JSON", () => {
    for (const { json, protobuf } of all)
      expect(inOneGo(protobufCodec.decode(protobuf, undefined)).object).toEqual(json);
  });

  test("encoding gives their bytes", () => {
    const wrong = all.filter(({ json, protobuf }) => !protobuf.equals(protobufCodec.encode(json)));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("their typed form is themselves, with nothing unknown", () => {
    for (const { json } of all) {
      const { object, problems } = inOneGo(jsonCodec.decode(jsonCodec.encode(json), undefined));
      expect([object, problems]).toEqual([json, []]);
    }
  });
});

test("a minimal deployment comes back in the form of typed structs", () => {
  const bytes = protobufCodec.encode({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { replicas: 0, selector: { matchLabels: { a: "b" } }, template: { spec: { containers: [{ name: "c" }] } } },
  } as KubeObject);
  expect(inOneGo(protobufCodec.decode(bytes, undefined)).object).toEqual({
    kind: "Deployment",
    apiVersion: "apps/v1",
    metadata: { name: "web" },
    spec: {
      replicas: 0,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: {}, spec: { containers: [{ name: "c", resources: {} }] } },
      strategy: {},
    },
    status: {},
  });
});

test("large and negative numbers, microseconds and percentages survive", () => {
  const lease = {
    kind: "Lease",
    apiVersion: "coordination.k8s.io/v1",
    metadata: { name: "l", generation: Number.MAX_SAFE_INTEGER },
    spec: { leaseDurationSeconds: -5, renewTime: "2026-01-02T03:04:05.000006Z", leaseTransitions: 2_147_483_647 },
  };
  expect(inOneGo(protobufCodec.decode(protobufCodec.encode(lease as KubeObject), undefined)).object).toEqual(lease);
  const pdb = {
    kind: "PodDisruptionBudget",
    apiVersion: "policy/v1",
    metadata: { name: "p" },
    spec: { maxUnavailable: "25%" },
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  };
  expect(inOneGo(protobufCodec.decode(protobufCodec.encode(pdb as KubeObject), undefined)).object).toEqual(pdb);
});

test("a long list in pieces is the same bytes as the whole", async () => {
  const items = Array.from({ length: 300 }, (_, i) => ({ metadata: { name: `c${i}` }, data: { a: "b".repeat(i) } }));
  const head = { apiVersion: "v1", kind: "ConfigMapList", metadata: { resourceVersion: "5", remainingItemCount: 2 } };
  const pieces: Uint8Array[] = [];
  for await (const piece of protobufCodec.encodeList?.(head, items as unknown as KubeObject[]) ?? [])
    pieces.push(piece);
  expect(Buffer.concat(pieces).equals(protobufCodec.encode({ ...head, items } as unknown as KubeObject))).toBe(true);
  expect(pieces.length).toBeGreaterThan(3);
});

test("a watch event is a length and a message of type and object", () => {
  const frame = Buffer.from(protobufCodec.encodeWatchEvent("ADDED", Buffer.from("k8s")));
  expect(frame.readUInt32BE()).toBe(frame.length - 4);
  expect(frame.subarray(4)).toEqual(
    Buffer.from([0x0a, 5, ...Buffer.from("ADDED"), 0x12, 5, 0x0a, 3, ...Buffer.from("k8s")]),
  );
});

test("bytes that are no message are refused, never crash", () => {
  const valid = Buffer.from(
    protobufCodec.encode({ apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { a: "b" } } }),
  );
  const decode = (bytes: Uint8Array) => {
    try {
      inOneGo(protobufCodec.decode(bytes, undefined));
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 400)) throw error;
    }
  };
  for (let length = 0; length < valid.length; length++) decode(valid.subarray(0, length));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => decode(Buffer.concat([Buffer.from("k8s\0"), bytes]))),
  );
  fc.assert(
    fc.property(fc.nat(valid.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
      const changed = Buffer.from(valid);
      changed[at] = byte;
      decode(changed);
    }),
  );
  expect(() => inOneGo(protobufCodec.decode(Buffer.from("{}"), undefined))).toThrow("expected prefix");
});
