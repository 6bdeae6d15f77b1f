/** A kind in two versions, and a manager that converts, fills in and judges it, for the tests of webhooks. */
import { systemClock } from "../../src/base/index.js";
import type { Client } from "../../src/client/index.js";
import { defineResource, fieldPath, withVersions } from "../../src/api/index.js";
import { Manager } from "../../src/manager/index.js";

/** Tests on a shared server take a group of their own. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the types are what the schemas say
export function fooKinds(group: string) {
  const names = { group, kind: "Foo", plural: "foos", scope: "Namespaced" } as const;

  const FooV1 = defineResource({
    ...names,
    version: "v1",
    schema: {
      type: "object",
      required: ["spec"],
      properties: {
        spec: {
          type: "object",
          required: ["replicas"],
          properties: {
            replicas: { type: "integer" },
            image: { type: "string" },
            colours: { type: "array", items: { type: "string" } },
          },
        },
      },
    },
  });

  const FooV1alpha1 = defineResource({
    ...names,
    version: "v1alpha1",
    schema: {
      type: "object",
      required: ["spec"],
      properties: {
        spec: {
          type: "object",
          required: ["size"],
          properties: { size: { type: "string" }, image: { type: "string" }, colour: { type: "string" } },
        },
      },
    },
  });

  const Foo = withVersions(FooV1, {
    type: FooV1alpha1,
    toHub: ({ spec: { size, colour, ...spec } }) => ({
      spec: { ...spec, replicas: Number(size), ...(colour === undefined ? {} : { colours: colour.split(",") }) },
    }),
    fromHub: ({ spec: { replicas, colours, ...spec } }) => ({
      spec: { ...spec, size: String(replicas), ...(colours === undefined ? {} : { colour: colours.join(",") }) },
    }),
  });
  return { Foo, FooV1, FooV1alpha1 };
}

const spec = fieldPath("spec");

/** Asks for mistakes by the name of the object. */
export function fooManager(client: Client, Foo: ReturnType<typeof fooKinds>["Foo"]): Manager {
  const manager = new Manager({
    client,
    clock: systemClock,
    webhooks: { name: Foo.group, port: 0, certificates: { secret: { name: Foo.group, namespace: "default" } } },
  });
  manager.webhook({
    for: Foo,
    default: ({ object }) => ({ ...object, spec: { ...object.spec, image: object.spec.image ?? "app:1" } }),
    validate: async ({ object, old, user, dryRun, signal }) => {
      const { name } = object.metadata;
      if (name === "thrown") throw new Error("no database");
      if (name === "changed") (object.spec as { replicas: number }).replicas = 1;
      if (name === "slow") await systemClock.sleep(600_000, signal);
      if (name === "hung") await new Promise(() => {});
      if (name === "asked") return `${user.username === "" ? "nobody" : "somebody"} asks, dry run: ${dryRun}`;
      const { replicas } = object.spec;
      if (old !== undefined && old.spec.replicas > replicas)
        return { field: "spec.replicas", message: `may not shrink from ${old.spec.replicas}` };
      return replicas > 10 ? [spec.child("replicas").invalid(replicas, "at most 10")] : [];
    },
    validateDelete: ({ object }) => (object.spec.replicas > 5 ? "too large to be deleted" : undefined),
    warn: ({ object }) => (object.spec.replicas === 0 ? "nothing\nwill run" : undefined),
    timeoutSeconds: 2,
  });
  return manager;
}
