/** `coxswain types`: types and descriptors of kinds that others defined, from files and from a cluster. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CustomResourceDefinition } from "coxswain/api";
import { describe, expect, onTestFinished, test } from "vitest";
import { embeddedTls } from "../../examples/testing/account.js";
import { yamlToJson } from "../../src/api/yaml/index.js";
import { runCommandLine } from "../../src/cli/program.js";
import { repository } from "../source-files.js";

const definition = `
---
apiVersion: v1
kind: ConfigMap
metadata: { name: passed-over }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: vessels.harbour.example }
spec:
  group: harbour.example
  scope: Namespaced
  names: { plural: vessels, singular: vessel, kind: Vessel, listKind: VesselList, shortNames: [vs], categories: [all] }
  versions:
    - { name: v1beta1, served: true, storage: false, schema: { openAPIV3Schema: { type: object } } }
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          description: A ship.
          type: object
          required: [spec]
          properties:
            apiVersion: { type: string }
            kind: { type: string }
            metadata: { type: object }
            status:
              type: object
              properties:
                phase: { type: string, enum: [Docked, "At sea", ""] }
            spec:
              type: object
              required: [name, crew]
              properties:
                name: { type: string, description: "The name.\\n\\nEnds a comment */ or not." }
                crew:
                  type: array
                  items: { type: object, required: [role], properties: { role: { type: string }, age: { type: integer } } }
                size: { type: integer, default: 3, description: The length in metres. }
                port: { x-kubernetes-int-or-string: true, anyOf: [{ type: integer }, { type: string }] }
                labels: { type: object, additionalProperties: { type: string } }
                "x-y.z": { type: boolean }
                free: { type: object, x-kubernetes-preserve-unknown-fields: true }
                open: { type: object, x-kubernetes-preserve-unknown-fields: true, properties: { a: { type: string } } }
                template: { type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true }
                since: { type: string, format: date-time, nullable: true }
                kinds: { type: array, items: { type: string, enum: [a, b] } }
`;

const expected = `/** Made by coxswain types. Do not edit: make it again when the definitions change. */
import { defineResource, type KubeObject, type ObjectMeta, type ResourceType } from "coxswain/api";

/** A ship. */
export interface Vessel {
  readonly apiVersion: "harbour.example/v1";
  readonly kind: "Vessel";
  readonly metadata: ObjectMeta;
  readonly spec: VesselSpec;
  readonly status?: VesselStatus;
}

export interface VesselSpec {
  readonly crew: readonly VesselSpecCrewItem[];
  readonly free?: Readonly<Record<string, unknown>>;
  readonly kinds?: readonly ("a" | "b")[];
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * The name.
   *
   * Ends a comment *\\/ or not.
   */
  readonly name: string;
  readonly open?: VesselSpecOpen;
  readonly port?: number | string;
  readonly since?: string | null;
  /**
   * The length in metres.
   * @default 3
   */
  readonly size: number;
  readonly template?: KubeObject;
  readonly "x-y.z"?: boolean;
}

export interface VesselSpecCrewItem {
  readonly age?: number;
  readonly role: string;
}

export interface VesselSpecOpen {
  readonly a?: string;
  readonly [name: string]: unknown;
}

export interface VesselStatus {
  readonly phase?: "Docked" | "At sea" | "";
}

export const Vessel: ResourceType<Vessel> = defineResource<Vessel>({
  group: "harbour.example",
  version: "v1",
  kind: "Vessel",
  plural: "vessels",
  scope: "Namespaced",
  shortNames: ["vs"],
  categories: ["all"],
  subresources: ["status"],
});
`;

async function types(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: "", err: "" };
  const code = await runCommandLine(["types", ...args], {
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
    stopSignal: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => {} }),
  });
  return { code, ...printed };
}

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-types-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test("the types of a file's definitions are strict and readonly, with descriptions", async () => {
  const folder = await folderWith({ "crd.yaml": definition });
  expect(await types(join(folder, "crd.yaml"))).toEqual({ code: 0, out: expected, err: "" });
});

test("they compile, and serve a client", async () => {
  const folder = await folderWith({
    "crd.yaml": definition,
    "use.ts": `import type { Client } from "coxswain";
      import { Vessel } from "./vessel.js";
      export const name = async (client: Client): Promise<string> => {
        const { spec } = await client.resource(Vessel, { namespace: "a" }).get("b");
        // @ts-expect-error readonly
        spec.name = "other";
        // @ts-expect-error no such field
        void spec.nmae;
        return spec.crew.map(({ role }) => role).join(spec.since ?? "") + spec.size.toFixed();
      };`,
    "package.json": `{ "type": "module" }`,
    "tsconfig.json": JSON.stringify({
      extends: `${repository}tsconfig.json`,
      compilerOptions: {
        typeRoots: [`${repository}node_modules/@types`],
        paths: { coxswain: [`${repository}src/index.ts`], "coxswain/*": [`${repository}src/*/index.ts`] },
      },
      include: ["."],
    }),
  });
  const out = join(folder, "vessel.ts");
  expect((await types(join(folder, "crd.yaml"), "--out", out)).err).toBe("");
  expect((await types(join(folder, "crd.yaml"), "--out", out)).err).toBe("");
  expect(await readFile(out, "utf8")).toBe(expected);
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
  expect(stdout).toBe("");
});

test("a cluster's definitions give the same text as their file", async () => {
  const { admin, kubeconfig } = await embeddedTls();
  const folder = await folderWith({ "crd.yaml": definition });
  const [, , text = ""] = definition.split(/^---$/m);
  await admin.resource(CustomResourceDefinition).create(JSON.parse(yamlToJson(text).json) as CustomResourceDefinition);
  const fromFile = await types(join(folder, "crd.yaml"));
  expect(await types("--kubeconfig", kubeconfig)).toEqual(fromFile);
  expect(await types("vessels.harbour.example", "--kubeconfig", kubeconfig)).toEqual(fromFile);
});

test("paths of two kinds that give one name are told apart", async () => {
  const crew = definition
    .replaceAll("vessel", "vesselspec")
    .replace("kind: Vessel,", "kind: VesselSpec,")
    .replace("VesselList", "VesselSpecList");
  const folder = await folderWith({ "crd.yaml": definition, "crew.yaml": crew });
  const { out } = await types(join(folder, "crd.yaml"), join(folder, "crew.yaml"));
  const names = [...out.matchAll(/^export interface (\w+)/gm)].map(([, name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain("VesselSpec2");
});

test("another version, two kinds of one name, and mistakes", async () => {
  const other = definition.replaceAll("harbour.example", "yard.example");
  const folder = await folderWith({
    "crd.yaml": definition,
    "other.yaml": other,
    "old.yaml": definition.replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"),
    "chart.yaml": "{{- if .Values.crds }}\nkind: x\n",
    "mine.ts": "export {};\n",
  });
  const at = (name: string): string => join(folder, name);
  expect((await types(at("crd.yaml"), "--api-version", "v1beta1")).out).toContain('version: "v1beta1"');
  const both = await types(at("other.yaml"), at("crd.yaml"));
  expect(both.out).toContain("export interface HarbourVessel {");
  expect(both.out).toContain("export const YardVessel: ResourceType<YardVessel>");
  expect((await types(at("crd.yaml"), at("other.yaml"))).out).toBe(both.out);
  for (const [args, said] of [
    [[at("crd.yaml"), "--api-version", "v3"], "does not serve v3; it serves v1beta1, v1"],
    [[at("old.yaml")], "only apiextensions.k8s.io/v1 is known"],
    [[at("chart.yaml")], "helm template"],
    [[at("mine.ts")], "has no CustomResourceDefinition"],
    [[], "give files with definitions, or --kubeconfig"],
    [[at("crd.yaml"), "--out", at("mine.ts")], "was not made by this command"],
  ] as const) {
    const { code, err } = await types(...args);
    expect([code, err]).toEqual([1, expect.stringContaining(said)]);
  }
});

describe("what nobody has judged is refused with a reason, and never becomes code", () => {
  const minimal = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "foos.g.io" },
    spec: { group: "g.io", scope: "Namespaced", names: { kind: "Foo", plural: "foos" } },
  };
  const of = (schema: unknown, spec: object = {}): string => {
    const versions = [{ name: "v1", served: true, schema: { openAPIV3Schema: schema } }];
    return JSON.stringify({ ...minimal, spec: { ...minimal.spec, versions, ...spec } });
  };
  const names = (kind: string): object => ({ names: { kind, plural: "foos" } });
  const deep = (levels: number): object => (levels === 0 ? {} : { items: deep(levels - 1) });

  test.each([
    ["a kind that is code", of({}, names("Foo {}\nevil(); interface Bar")), "is no kind"],
    ["a group that is none", of({}, { group: 5 }), "has no spec.group"],
    ["a version that is none", of({}, { versions: [null] }), "has a version without a name"],
    ["a description that is none", of({ description: 5 }), "a description is a text"],
    ["a property that is none", of({ properties: { a: null } }), "a schema is an object"],
    ["a list that is none", of({ required: "name" }), "required and enum are lists"],
    ["a deep schema", of(deep(600)), /more than 500 levels|max depth/],
  ])("%s", async (_, text, said) => {
    const folder = await folderWith({ "crd.json": text });
    const { code, err, out } = await types(join(folder, "crd.json"));
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(said);
  });

  test("texts of the definition stay in their comments and quotes", async () => {
    const evil = '*/ evil(); /* "; evil(); //\n*/evil()';
    const schema = { type: "object", description: evil, properties: { [evil]: { type: "string", enum: [evil] } } };
    const folder = await folderWith({ "crd.json": of({ ...schema, default: evil }, names("My-Foo")) });
    const { out } = await types(join(folder, "crd.json"));
    const bare = out.replaceAll(/\/\*[^]*?\*\/|"(?:\\.|[^"\\])*"/g, "");
    expect(bare).not.toContain("evil");
    expect(bare).toContain("export interface MyFoo {");
  });
});
