import { atOnce } from "../../../test/conformance/apply-at-once.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze, type KubeObject, StatusError } from "../../api/index.js";
import type { FieldManagerRequest } from "../contracts/field-manager.js";
import { createFieldManager, customType } from "./index.js";

const apiVersion = "example.com/v1";
const type = customType({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer" },
        items: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: { type: "object", properties: { name: { type: "string" }, value: { type: "string" } } },
        },
        tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        labels: { type: "object", additionalProperties: { type: "string" } },
        order: { type: "array", items: { type: "string" } },
      },
    },
    status: { type: "object", properties: { phase: { type: "string" } } },
  },
});
const fieldManager = atOnce(createFieldManager({ customKind: () => ({ type, hasStatus: true }) }));

function by(manager: string, more: Partial<FieldManagerRequest> = {}): FieldManagerRequest {
  return { manager, apiVersion, subresource: "", time: "2026-01-01T00:00:00Z", ...more };
}

function thing(spec: object, metadata: object = {}): KubeObject {
  return { apiVersion, kind: "Thing", metadata: { name: "t", ...metadata }, spec } as KubeObject;
}

function apply(live: KubeObject | undefined, manager: string, spec: object, force = false): KubeObject {
  const object = fieldManager.apply(live, thing(spec), { ...by(manager), force });
  return deepFreeze({ ...object, metadata: { ...object.metadata, uid: "u" } }) as KubeObject;
}

function specOf(object: KubeObject): unknown {
  return (object as { spec?: unknown }).spec;
}

function owners(object: KubeObject): Record<string, unknown> {
  return Object.fromEntries(
    (object.metadata.managedFields ?? []).map(({ manager, operation, fieldsV1 }) => [
      `${manager} ${operation}`,
      fieldsV1,
    ]),
  );
}

const text = fc.constantFrom("1", "2");
const specs = fc.record(
  {
    size: fc.constantFrom(1, 2),
    items: fc.uniqueArray(
      fc.record({ name: fc.constantFrom("a", "b", "c"), value: text }, { requiredKeys: ["name"] }),
      {
        selector: ({ name }) => name,
        minLength: 1,
        maxLength: 3,
      },
    ),
    tags: fc.uniqueArray(fc.constantFrom("x", "y", "z"), { minLength: 1 }),
    labels: fc.dictionary(fc.constantFrom("k", "l"), text, { minKeys: 1 }),
    order: fc.array(text),
  },
  { requiredKeys: [] },
);

describe("apply", () => {
  test.each([{}, { metadata: null }])("gives owners to an object that came without metadata: %j", (metadata) => {
    const sent = { apiVersion, kind: "Thing", spec: { size: 1 }, ...metadata } as unknown as KubeObject;
    const { metadata: made } = fieldManager.apply(undefined, sent, { ...by("a"), force: false });
    expect(made).toMatchObject({ managedFields: [{ manager: "a", fieldsV1: { "f:spec": { "f:size": {} } } }] });
    const { spec: _, ...nothing } = sent as KubeObject & { readonly spec: object };
    expect(fieldManager.apply(undefined, nothing, { ...by("a"), force: false })).toMatchObject({ kind: "Thing" });
  });

  test("is idempotent: the same again changes neither object nor owners nor times (property)", () => {
    fc.assert(
      fc.property(specs, specs, (first, second) => {
        const live = apply(apply(undefined, "a", first), "b", second, true);
        const again = fieldManager.apply(live, thing(second), {
          ...by("b", { time: "2030-01-01T00:00:00Z" }),
          force: false,
        });
        expect(again).toEqual(live);
      }),
    );
  });

  test("managers of disjoint fields never conflict, and their order does not matter (property)", () => {
    const parts = fc.tuple(specs, fc.subarray(["size", "items", "tags", "labels", "order"]));
    fc.assert(
      fc.property(parts, ([spec, mine]) => {
        const pick = (names: boolean): object =>
          Object.fromEntries(Object.entries(spec).filter(([name]) => mine.includes(name) === names));
        const oneWay = apply(apply(undefined, "a", pick(true)), "b", pick(false));
        const otherWay = apply(apply(undefined, "b", pick(false)), "a", pick(true));
        expect(specOf(oneWay) ?? {}).toEqual(specOf(otherWay) ?? {});
        expect(owners(oneWay)).toEqual(owners(otherWay));
      }),
    );
  });

  test("removing all that a manager applied leaves what others applied (property)", () => {
    fc.assert(
      fc.property(specs, specs, (mine, theirs) => {
        const both = apply(apply(undefined, "theirs", theirs), "mine", mine, true);
        const left = apply(both, "mine", {});
        expect(owners(left)["mine Apply"]).toEqual({ "f:spec": {} });
        const again = apply(left, "theirs", theirs);
        expect(specOf(again) ?? {}).toEqual(specOf(apply(undefined, "theirs", theirs)) ?? {});
      }),
    );
  });

  test("equal values are owned together, and stay until the last owner lets go", () => {
    const both = apply(apply(undefined, "a", { size: 1 }), "b", { size: 1, order: [] });
    const size = { "f:size": {} };
    expect(owners(both)).toEqual({
      "a Apply": { "f:spec": size },
      "b Apply": { "f:spec": { "f:order": {}, ...size } },
    });
    const one = apply(both, "a", {});
    expect(specOf(one)).toEqual({ size: 1, order: [] });
    expect(specOf(apply(one, "b", { order: [] }))).toEqual({ order: [] });
  });

  test("a conflict names the owner and the field; force takes it", () => {
    const live = apply(undefined, "a", { size: 1, items: [{ name: "x", value: "1" }] });
    const clash = (): unknown => apply(live, "b", { size: 2, items: [{ name: "x", value: "2" }] });
    expect(clash).toThrow(
      'Apply failed with 2 conflicts: conflicts with "a":\n- .spec.size\n- .spec.items[name="x"].value',
    );
    try {
      clash();
    } catch (error) {
      expect((error as StatusError).status.details?.causes?.[0]).toEqual({
        reason: "FieldManagerConflict",
        message: 'conflict with "a"',
        field: ".spec.size",
      });
    }
    const forced = apply(live, "b", { size: 2 }, true);
    expect(specOf(forced)).toEqual({ size: 2, items: [{ name: "x", value: "1" }] });
    expect(owners(forced)["a Apply"]).toEqual({
      "f:spec": { "f:items": { 'k:{"name":"x"}': { ".": {}, "f:name": {}, "f:value": {} } } },
    });
  });

  test("items that nobody can tell apart are tolerated in what is live and refused in what is applied", () => {
    const twice = { items: [{ name: "x", value: "1" }, { name: "x", value: "2" }, { name: "y" }] };
    const live = fieldManager.update(undefined, thing(twice), by("a"));
    const applied = fieldManager.apply(
      { ...live, metadata: { ...live.metadata, uid: "u" } },
      thing({ items: [{ name: "y", value: "3" }] }),
      {
        ...by("b"),
        force: false,
      },
    );
    expect(specOf(applied)).toEqual({
      items: [
        { name: "x", value: "1" },
        { name: "x", value: "2" },
        { name: "y", value: "3" },
      ],
    });
    expect(() => apply(undefined, "b", twice)).toThrow('.spec.items: duplicate entries for key [name="x"]');
  });

  test("what the type does not know is refused with its path", () => {
    expect(() => apply(undefined, "a", { foo: 1 })).toThrow(
      "failed to create typed patch object (/t; example.com/v1, Kind=Thing): .spec.foo: field not declared in schema",
    );
  });

  test("an object whose fields nobody tracked belongs to before-first-apply", () => {
    const live = thing({ size: 1 }, { uid: "u" });
    const applied = fieldManager.apply(live, thing({ tags: ["x"] }), { ...by("a"), force: false });
    expect(owners(applied)).toEqual({
      "a Apply": { "f:spec": { "f:tags": { 'v:"x"': {} } } },
      "before-first-apply Update": { "f:spec": { ".": {}, "f:size": {} } },
    });
  });

  test("kubectl takes over what it set by client-side apply, and keeps the annotation up", () => {
    const last = JSON.stringify(thing({ size: 1 }));
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": last };
    const created = fieldManager.update(
      undefined,
      thing({ size: 1 }, { annotations }),
      by("kubectl-client-side-apply"),
    );
    const live = { ...created, metadata: { ...created.metadata, uid: "u" } };
    const applied = fieldManager.apply(live, thing({ size: 2 }), { ...by("kubectl"), force: false });
    expect(specOf(applied)).toEqual({ size: 2 });
    expect(applied.metadata.annotations).toEqual({
      "kubectl.kubernetes.io/last-applied-configuration":
        '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"},"spec":{"size":2}}\n',
    });
    expect(() => fieldManager.apply(live, thing({ size: 2 }), { ...by("other"), force: false })).toThrow(/conflict/);
  });
});

describe("update", () => {
  const live = (spec: object, manager = "a"): KubeObject => {
    const object = fieldManager.update(undefined, thing(spec), by(manager));
    return { ...object, metadata: { ...object.metadata, uid: "u" } };
  };

  test("what changes belongs to whoever changed it, what does not stays with its owner and its time", () => {
    const before = live({ size: 1, labels: { k: "1" } });
    const next = { ...before, spec: { size: 2, labels: { k: "1" } } } as KubeObject;
    const after = fieldManager.update(before, next, by("b", { time: "2027-01-01T00:00:00Z" }));
    expect(owners(after)).toEqual({
      "a Update": { "f:spec": { ".": {}, "f:labels": { ".": {}, "f:k": {} } } },
      "b Update": { "f:spec": { "f:size": {} } },
    });
    expect(after.metadata.managedFields?.map(({ time }) => time)).toEqual([
      "2026-01-01T00:00:00Z",
      "2027-01-01T00:00:00Z",
    ]);
  });

  test("an update that changes nothing leaves the very same entries", () => {
    const before = live({ size: 1 });
    const after = fieldManager.update(before, structuredClone(before), by("b"));
    expect(after.metadata.managedFields?.[0]).toEqual(before.metadata.managedFields?.[0]);
    expect(after.metadata.managedFields).toHaveLength(1);
  });

  test("an empty list, or a list of one empty entry, forgets all owners for good", () => {
    const before = live({ size: 1 });
    for (const managedFields of [[], [{}]]) {
      const cleared = fieldManager.update(
        before,
        { ...before, metadata: { ...before.metadata, managedFields } },
        by("b"),
      );
      expect(cleared.metadata.managedFields).toBeUndefined();
      const later = fieldManager.update(cleared, { ...cleared, spec: { size: 2 } } as KubeObject, by("b"));
      expect(later.metadata.managedFields).toBeUndefined();
    }
  });

  test("more than ten updaters are too many: the oldest become ancient-changes", () => {
    let object = live({ labels: { k: "0" } }, "m0");
    for (let i = 1; i <= 12; i++) {
      const next = {
        ...object,
        spec: {
          ...(specOf(object) as object),
          labels: { ...(specOf(object) as { labels: object }).labels, [`k${i}`]: "1" },
        },
      } as KubeObject;
      object = fieldManager.update(object, next, by(`m${i}`, { time: `2026-01-01T00:00:${10 + i}Z` }));
    }
    const names = object.metadata.managedFields?.map(({ manager }) => manager);
    expect(names).toHaveLength(10);
    expect(names?.[0]).toBe("ancient-changes");
    expect(JSON.stringify(owners(object)["ancient-changes Update"])).toContain("f:k3");
  });

  test("status and the rest are owned at their own endpoints", () => {
    const before = live({ size: 1 });
    const withStatus = { ...before, spec: { size: 9 }, status: { phase: "x" } } as KubeObject;
    const status = fieldManager.update(before, withStatus, by("b", { subresource: "status" }));
    expect(owners(status)["b Update"]).toEqual({ "f:status": { ".": {}, "f:phase": {} } });
    const main = fieldManager.update(before, withStatus, by("b"));
    expect(owners(main)["b Update"]).toEqual({ "f:spec": { "f:size": {} } });
  });

  test("entries that are not well-formed are ignored in favour of what is stored", () => {
    const before = live({ size: 1 });
    const bad = { ...before, metadata: { ...before.metadata, managedFields: [{ manager: "x" }] } } as KubeObject;
    expect(owners(fieldManager.update(before, bad, by("b")))).toEqual(owners(before));
  });

  test("owners in a version that is not served any more are dropped", () => {
    const manager = atOnce(
      createFieldManager({
        customKind: (version) => (version === apiVersion ? { type, hasStatus: false } : undefined),
      }),
    );
    const before = live({ size: 1 });
    const [entry] = before.metadata.managedFields ?? [];
    const managedFields = [
      { ...entry, apiVersion: "example.com/v1alpha1" },
      { ...entry, manager: "other" },
    ];
    const old = { ...before, metadata: { ...before.metadata, managedFields } } as KubeObject;
    const after = manager.update(old, { ...old, spec: { size: 2 } } as KubeObject, by("b"));
    expect(after.metadata.managedFields?.map((one) => one.manager)).toEqual(["b", "other"]);
  });
});

test("whatever objects hold, an update never throws, and an apply only refuses (fuzz)", () => {
  const name = fc.constantFrom("spec", "metadata", "size", "items", "tags", "labels", "order", "name", "status", "x");
  const wild = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(null, 1, "a", true, "__proto__"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(name, tie("value"), { maxKeys: 4 }),
    ),
  })).value;
  const step = fc.constantFrom(
    "f:spec",
    "f:size",
    "f:items",
    'k:{"name":"a"}',
    'v:"x"',
    "i:0",
    ".",
    "q:1",
    "k:{",
    "zz",
  );
  const fields = fc.letrec((tie) => ({
    set: fc.dictionary(step, fc.oneof({ maxDepth: 3 }, fc.constant({}), tie("set"))),
  })).set;
  const entry = fc.record(
    {
      manager: fc.constantFrom("a", "b"),
      operation: fc.constantFrom("Apply", "Update", "?"),
      apiVersion: fc.constantFrom(apiVersion, "example.com/v9", ""),
      fieldsType: fc.constantFrom("FieldsV1", "x"),
      fieldsV1: fc.oneof({ weight: 5, arbitrary: fields }, wild),
      time: fc.constantFrom("2026-01-01T00:00:00Z", "nonsense"),
    },
    { requiredKeys: [] },
  );
  const object = fc
    .tuple(wild, fc.array(entry, { maxLength: 3 }))
    .map(([spec, managedFields]) => thing(spec as object, { uid: "u", managedFields }));
  fc.assert(
    fc.property(object, object, (first, next) => {
      const live = fieldManager.update(undefined, first, by("a"));
      fieldManager.update(live, next, by("a"));
      const { managedFields: _, ...metadata } = next.metadata;
      try {
        fieldManager.apply(live, { ...next, metadata }, { ...by("a"), force: false });
      } catch (error) {
        expect(error).toBeInstanceOf(StatusError);
      }
    }),
    { numRuns: 300 },
  );
});
