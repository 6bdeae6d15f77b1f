import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeObject } from "../../client/stream/decode.js";
import type { KubeObject } from "../object.js";
import { type ObjectType, type Shape, typeNamed, typeNames } from "../schema/index.js";
import { lazyDecoder } from "../decode/decoder.js";
import { hasNoNulls, withoutNullMembers } from "./nulls.js";

const pod = {
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "a", creationTimestamp: null, labels: { app: "null" } },
  spec: { containers: [{ name: "c", args: null, command: ["null", null] }], nodeName: null },
  status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: null }], startTime: null },
};

const read = {
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "a", labels: { app: "null" } },
  spec: { containers: [{ name: "c", command: ["null", null] }] },
  status: { conditions: [{ type: "Ready", status: "True" }] },
};

const slice = { kind: "EndpointSlice", apiVersion: "discovery.k8s.io/v1", metadata: { name: "a" }, endpoints: null };

const foo = { kind: "Foo", apiVersion: "example.com/v1", metadata: { name: "a" }, spec: { limit: null }, top: null };

/** In some of their versions alone. */
const mostlyForeign: ReadonlySet<string> = new Set(["ResourceSlice"]);

function hasForeignPart(shape: Shape, seen: Set<ObjectType>): boolean {
  switch (shape.kind) {
    case "rawExtension":
    case "json":
      return true;
    case "list":
    case "map":
      return hasForeignPart(shape.items, seen);
    case "object": {
      if (seen.has(shape.type)) return false;
      seen.add(shape.type);
      return [...shape.type.properties.values()].some((field) => hasForeignPart(field.shape, seen));
    }
    default:
      return false;
  }
}

describe("null and absent are the same in built-in kinds", () => {
  const decoders = { lazy: lazyDecoder(), "at once": decodeObject({ group: "", version: "v1", kind: "Pod" }) };
  for (const [name, decode] of Object.entries(decoders)) {
    const decoded = (object: object): unknown => {
      const bytes = Buffer.from(JSON.stringify(object));
      return decode(bytes, 0, bytes.length) as KubeObject;
    };
    test(`an object that is decoded ${name} has no null members, also where all of a section is null`, () => {
      expect(decoded(pod)).toEqual(read);
      expect(Object.keys(decoded(slice) as object)).toEqual(["kind", "apiVersion", "metadata"]);
    });

    test(`a custom object that is decoded ${name} keeps them`, () => {
      expect(decoded(foo)).toEqual(foo);
    });
  }

  test("for every built-in kind but those that carry a foreign part", () => {
    const kinds = [...typeNames()].flatMap((name) => {
      const type = typeNamed(name);
      return type?.apiVersion === undefined || type.name.endsWith("List") ? [] : [type];
    });
    expect(kinds.length).toBeGreaterThan(80);
    for (const type of kinds) {
      // managedFields never travel with an object that is read from a cache, and are nobody's business otherwise
      const isForeign = hasForeignPart({ kind: "object", type }, new Set());
      const { apiVersion, name: kind } = type;
      if (isForeign) expect(hasNoNulls({ apiVersion, kind }), `${apiVersion} ${kind}`).toBe(false);
      else if (!mostlyForeign.has(kind)) expect(hasNoNulls({ apiVersion, kind }), `${apiVersion} ${kind}`).toBe(true);
    }
    for (const kind of mostlyForeign) expect(kinds.map(({ name }) => name)).toContain(kind);
  });

  test("nothing but null members goes, at any depth", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const naive = (value: unknown): unknown => {
          if (Array.isArray(value)) return value.map(naive);
          if (typeof value !== "object" || value === null) return value;
          return Object.fromEntries(
            Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, naive(member)]])),
          );
        };
        expect(withoutNullMembers(JSON.parse(text) as unknown, text)).toEqual(naive(JSON.parse(text)));
      }),
    );
  });
});
