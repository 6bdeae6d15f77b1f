import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { apiserverLayers, isLayer, layers, layerTable, mayImport, processState } from "./layers.js";
import {
  codeOf,
  filesInCycles,
  folderImports,
  importsOf,
  isGenerated,
  isTest,
  knots,
  mutableBindings,
  repository,
  type SourceFile,
  sourceFiles,
} from "./source-files.js";

const { dependencies, peerDependencies = {} } = JSON.parse(readFileSync(`${repository}package.json`, "utf8")) as {
  dependencies: Record<string, string>;
  peerDependencies?: Record<string, string>;
};
const packages = new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
const product = sourceFiles("src").filter(({ path }) => !isTest(path));

/** The layer of a path under src/; undefined for src/index.ts, which may see everything. */
const layerOf = (path: string): string | undefined => /^src\/([^/]+)\//.exec(path)?.[1];

/** Why the import is wrong; undefined if it is right. */
function objection(file: SourceFile, specifier: string): string | undefined {
  const from = layerOf(file.path);
  if (!specifier.startsWith(".")) {
    if (/^(?:node:)?timers\b/.test(specifier)) return "time comes from a Clock";
    if (specifier.startsWith("node:")) return undefined;
    const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
    if (from === "base") return "base imports no package";
    return packages.has(name) ? undefined : `${name} is not a runtime dependency`;
  }
  if (from === undefined) return undefined;
  const to = layerOf(posix.join(posix.dirname(file.path), specifier));
  if (to === undefined) return `${from} may not import from outside the layers`;
  if (!isLayer(from) || !isLayer(to)) return `${isLayer(from) ? to : from} is no layer: see test/layers.ts`;
  return mayImport(from, to) ? undefined : `${from} may not import ${to}`;
}

function wrongImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    importsOf(file).flatMap(({ specifier, line, text }) => {
      const why = objection(file, specifier);
      return why === undefined ? [] : [`${file.path}:${line}: ${why}: ${text}`];
    }),
  );
}

const forbidden = new RegExp(
  ["Date.now", "performance.now", "Math.random", "setTimeout", "setInterval"]
    .map((name) => `\\b${name.replace(".", "\\.")}\\b`)
    .concat("\\bnew Date\\(\\)")
    .join("|"),
);

function readingsOfTime(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    codeOf(text)
      .split("\n")
      .flatMap((code, i) => {
        const found = forbidden.exec(code);
        return found === null ? [] : [`${path}:${i + 1}: ${found[0]} (take a Clock or a Random instead)`];
      }),
  );
}

describe("the layers", () => {
  test("each layer imports only what the table allows", () => {
    expect(wrongImports(product)).toEqual([]);
  });

  test("a wrong import is reported with its line, in whatever form it is written", () => {
    const path = "src/workqueue/x.ts";
    const text = [
      'import { a } from "../base/index.js";',
      "import type {",
      "  B,",
      '} from "../client/index.js";',
      'export { c } from "../nowhere/c.js";',
      '// import { d } from "../client/d.js";',
      'const e = await import("chalk");',
      'import "node:fs";',
    ].join("\n");
    expect(wrongImports([{ path, text }])).toEqual([
      `${path}:4: workqueue may not import client: } from "../client/index.js";`,
      `${path}:5: nowhere is no layer: see test/layers.ts: export { c } from "../nowhere/c.js";`,
      `${path}:7: chalk is not a runtime dependency: const e = await import("chalk");`,
    ]);
  });

  test("the built-in controllers use the runtime of controllers through its public exports", () => {
    const inside = product
      .filter(({ path }) => path.startsWith("src/builtin/"))
      .flatMap((file) =>
        importsOf(file)
          .map(({ specifier }) => posix.join(posix.dirname(file.path), specifier))
          .filter((path) => /^src\/(?:client|informer|workqueue|controller)\/(?!index\.js$)/.test(path)),
      );
    expect(inside).toEqual([]);
  });

  test("the table has no way around: what a layer may import may not import it back", () => {
    const loops = Object.keys(layers)
      .filter(isLayer)
      .flatMap((from) =>
        Object.keys(layers)
          .filter(isLayer)
          .filter((to) => from < to && mayImport(from, to) && mayImport(to, from)),
      );
    expect(loops).toEqual([]);
  });

  test("every folder of src is a layer", () => {
    const folders = new Set(product.map(({ path }) => layerOf(path)).filter((layer) => layer !== undefined));
    expect([...folders].filter((folder) => !isLayer(folder))).toEqual([]);
  });

  test("ARCHITECTURE.md prints the same table", () => {
    expect(readFileSync(`${repository}ARCHITECTURE.md`, "utf8")).toContain(layerTable("layer", layers));
  });
});

describe("the folders", () => {
  const imports = folderImports(product);

  test("no two folders beside one another import each other, directly or through others", () => {
    expect(knots(imports)).toEqual([]);
  });

  test("a knot is reported with each import that is part of it", () => {
    const files = [
      { path: "src/a/one/x.ts", text: 'import "../two/y.js";' },
      { path: "src/a/two/y.ts", text: 'import "../three/deep/z.js";' },
      { path: "src/a/three/deep/z.ts", text: 'import "../../one/x.js";' },
      { path: "src/a/four/w.ts", text: 'import "../one/x.js";\nimport "../index.js";' },
    ];
    expect(knots(folderImports(files))).toEqual([
      "src/a: one imports two, which leads back (src/a/one/x.ts:1)",
      "src/a: two imports three, which leads back (src/a/two/y.ts:1)",
      "src/a: three imports one, which leads back (src/a/three/deep/z.ts:1)",
    ]);
  });

  test("no two files import each other, directly or through others, not even for a type", () => {
    expect(filesInCycles(product)).toEqual([]);
  });

  test("the files of a cycle are reported without the files that only lead to it or from it", () => {
    const files = [
      { path: "src/a/x.ts", text: 'import type { Y } from "../b/y.js";' },
      { path: "src/b/y.ts", text: 'export { z } from "./z.js";' },
      { path: "src/b/z.ts", text: 'const x = await import("../a/x.js");\nimport "./end.js";' },
      { path: "src/b/end.ts", text: 'import "node:fs";' },
      { path: "src/begin.ts", text: 'import "./a/x.js";' },
    ];
    expect(filesInCycles(files)).toEqual(["src/a/x.ts", "src/b/y.ts", "src/b/z.ts"]);
  });

  test("each folder of src/apiserver is in its table, and imports only what that allows", () => {
    const table: Readonly<Record<string, readonly string[]>> = apiserverLayers;
    const folders = product.flatMap(({ path }) => /^src\/apiserver\/([^/]+)\//.exec(path)?.[1] ?? []);
    expect(new Set(folders)).toEqual(new Set(Object.keys(table)));
    const wrong = imports.filter(
      ({ parent, from, to }) => parent === "src/apiserver" && table[from]?.includes(to) !== true,
    );
    expect(wrong).toEqual([]);
  });

  test("src/apiserver/README.md prints the same table", () => {
    expect(readFileSync(`${repository}src/apiserver/README.md`, "utf8")).toContain(
      layerTable("folder", apiserverLayers),
    );
  });
});

/** The part of a layer whose names a reader meets together: a folder where a layer is divided, else the whole layer. */
const roomOf = (path: string): string => /^src\/((?:apiserver|builtin)\/[^/]+|[^/]+)\//.exec(path)?.[1] ?? "";

/** Whether one room of src/apiserver may import another; false for rooms elsewhere. The files beside the rooms may import all. */
function apiserverImports(from: string, to: string): boolean {
  const [name, other] = [from, to].map((room) => /^apiserver\/(\w+)$/.exec(room)?.[1] ?? "") as [string, string];
  return (apiserverLayers as Readonly<Record<string, readonly string[]>>)[name]?.includes(other) === true;
}

/**
 * Exported names that mean two things to one reader: they are defined twice in a room, or in two layers, or folders of
 * src/apiserver, one of which may import the other.
 */
function homonyms(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const defined = new Map<string, string[]>();
  for (const { path, text } of files) {
    const names = new Set(
      [...text.matchAll(/^export (?:async |abstract )?(?:function\*?|const|class|interface|type) (\w+)/gm)].map(
        ([, name]) => name as string,
      ),
    );
    for (const name of names) defined.set(name, [...(defined.get(name) ?? []), path]);
  }
  const meet = (a: string, b: string): boolean => {
    const [from = "", to = ""] = [layerOf(a), layerOf(b)];
    if (from === to) {
      const [one, other] = [roomOf(a), roomOf(b)];
      return one === other || apiserverImports(one, other) || apiserverImports(other, one);
    }
    return isLayer(from) && isLayer(to) && (mayImport(from, to) || mayImport(to, from));
  };
  return new Map([...defined].filter(([, paths]) => paths.some((a) => paths.some((b) => a !== b && meet(a, b)))));
}

describe("house rules", () => {
  test("an exported name means one thing to all code that can import it", () => {
    expect([...homonyms(product.filter(({ path }) => !isGenerated(path)))]).toEqual([]);
  });

  test("a second definition in the same room, or in a layer or room below, is reported; one aside is none", () => {
    const file = (path: string, name: string): SourceFile => ({ path, text: `export function ${name}(): void {}` });
    const files = [
      file("src/client/a/x.ts", "twice"),
      file("src/client/b/y.ts", "twice"),
      file("src/base/z.ts", "below"),
      file("src/builtin/job/z.ts", "below"),
      file("src/builtin/job/plan.ts", "aside"),
      file("src/builtin/gc/plan.ts", "aside"),
      file("src/apiserver/http/w.ts", "apart"),
      file("src/client/w.ts", "apart"),
      file("src/apiserver/http/v.ts", "met"),
      file("src/apiserver/audit/v.ts", "met"),
    ];
    expect([...homonyms(files).keys()]).toEqual(["twice", "below", "met"]);
  });

  test("the programs in the place of kube-apiserver and etcd start without the library of the command line", () => {
    const byPath = new Map(product.map((file) => [file.path, file]));
    const loaded = new Set<string>();
    const load = (path: string): void => {
      const file = byPath.get(path);
      if (loaded.has(path) || file === undefined) return;
      loaded.add(path);
      const values = file.text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";/gm);
      for (const [, specifier = ""] of values)
        if (specifier.startsWith(".")) load(posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts"));
        else loaded.add(specifier);
    };
    for (const name of ["run", "etcd", "kube-apiserver"]) load(`src/cli/envtest/${name}.ts`);
    expect(loaded).toContain("src/apiserver/server.ts");
    expect(loaded).not.toContain("commander");
  });

  test("time and chance are read in base alone", () => {
    const others = [...sourceFiles("src"), ...sourceFiles("test"), ...sourceFiles("examples")].filter(
      ({ path }) => !path.startsWith("src/base/") && !isGenerated(path),
    );
    expect(readingsOfTime(others)).toEqual([]);
  });

  test("no part of the product has a deadline that is not its clock's", () => {
    const wrong = product.filter(({ text }) => codeOf(text).includes("AbortSignal.timeout")).map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  test("a reading of time is reported with its line; one in a comment or a string is none", () => {
    const text = [
      "// Date.now()",
      'const a = "setTimeout";',
      "const b = Date.now();",
      "const c = `setTimeout ${new Date()}`;",
      "const d = new Date(b);",
    ].join("\n");
    expect(readingsOfTime([{ path: "x.ts", text }])).toEqual([
      "x.ts:3: Date.now (take a Clock or a Random instead)",
      "x.ts:4: new Date() (take a Clock or a Random instead)",
    ]);
  });

  test("no module has state that changes, but for a few with a reason in test/layers.ts", () => {
    const known = new Set(Object.values(processState).flat());
    const found = product
      .filter(({ path }) => !isGenerated(path))
      .flatMap((file) => mutableBindings(file).map((name) => `${file.path} ${name}`));
    expect(found.filter((binding) => !known.has(binding))).toEqual([]);
    expect([...known].filter((binding) => !found.includes(binding))).toEqual([]);
  });

  test("a binding that changes is found by its name; a constant, or one in a function, is none", () => {
    const text = [
      "export let a = 1;",
      "const b = new Map<string, number>();",
      "const c: readonly string[] = [];",
      "const d: Record<string, number> = {};",
      'const e = new Set(["x"]);',
      "const h = { count: 0 };",
      "function f(): void {",
      "  let g = 1;",
      '  b.set("x", g);',
      "  d[c.length] = 2;",
      "  h.count += 1;",
      '  e.has("x");',
      "}",
    ].join("\n");
    expect(mutableBindings({ path: "x.ts", text })).toEqual(["a", "b", "d", "h"]);
  });

  test("no folder has more than 12 source files", () => {
    const count = new Map<string, number>();
    const files = [...product, ...sourceFiles("tools"), ...sourceFiles("test").filter(({ path }) => !isTest(path))];
    for (const { path } of files) {
      if (!isGenerated(path)) count.set(posix.dirname(path), (count.get(posix.dirname(path)) ?? 0) + 1);
    }
    expect([...count].filter(([, files]) => files > 12)).toEqual([]);
  });
});
