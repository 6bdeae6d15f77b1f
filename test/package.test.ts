import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../src/base/index.js";
import { printSurface, splitStatements } from "./api-surface.js";
import { isTest, repository, sourceFiles } from "./source-files.js";

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(`${repository}package.json`, "utf8")) as Manifest;
const subpaths = Object.keys(manifest.exports).filter((subpath) => subpath !== "./package.json");
const specifier = (subpath: string): string => `coxswain${subpath.slice(1)}`;
function typesFile(subpath: string): string {
  const entry = manifest.exports[subpath];
  return join(repository, typeof entry === "object" ? entry.types : "");
}
/** Without the NODE_OPTIONS of the machine's owner, which may print or load something. */
const { NODE_OPTIONS: _, ...environment } = process.env;
const run = (program: string, args: readonly string[], cwd: string = repository): string =>
  execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], env: environment });

/** In `npm test` the build has just been; building again would take dist/ away from other tests for a moment. */
function isStale(): boolean {
  const code = [...sourceFiles("src"), ...sourceFiles("web")].filter(({ path }) => !isTest(path));
  const sources = [...code, { path: "rolldown.config.ts" }];
  // a file from the future, as another machine's clock may make them, is newer than every build: it says nothing
  const changed = sources
    .map(({ path }) => statSync(repository + path).mtimeMs)
    .filter((at) => at <= systemClock.now());
  const newest = Math.max(...changed);
  return !existsSync(`${repository}dist/index.js`) || statSync(`${repository}dist/index.js`).mtimeMs < newest;
}

/** An empty folder into which the packed tarball is unpacked as npm would do it, its dependencies linked from here. */
let folder: string;
let packed: readonly string[];

beforeAll(() => {
  if (isStale()) run("npm", ["run", "--silent", "build"]);
  folder = mkdtempSync(join(tmpdir(), "coxswain-package-"));
  // a cache of its own: there may be no home folder to write to, and no network
  const alone = ["--ignore-scripts", "--offline", "--cache", join(folder, "npm"), "--update-notifier=false"];
  const output = run("npm", ["pack", "--json", ...alone, "--pack-destination", folder]);
  const [{ filename, files }] = JSON.parse(output) as [{ filename: string; files: readonly { path: string }[] }];
  packed = files.map(({ path }) => path);
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "coxswain"), { recursive: true });
  run("tar", ["-xzf", join(folder, filename), "-C", join(modules, "coxswain"), "--strip-components=1"]);
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    mkdirSync(join(modules, name, ".."), { recursive: true });
    symlinkSync(join(repository, "node_modules", name), join(modules, name));
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the package", () => {
  test("contains the built code with types and maps, their sources, the documents, and nothing else", () => {
    const documents = new Set(["package.json", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"]);
    const isPart = (path: string): boolean =>
      /^(?:dist\/.*\.(?:js|d\.ts|(?:js|d\.ts)\.map)|src\/.*\.(?:ts|md)|docs\/.*\.md|docs\/operating\/(?:dashboard\.json|alerts\.yaml)|templates\/.*)$/.test(
        path,
      );
    const other = packed.filter((path) => !documents.has(path) && !isPart(path));
    expect(other.filter((path) => !path.startsWith("dist/dashboard/web/"))).toEqual([]);
    expect(packed.filter((path) => /\.test\.|fixture/.test(path) && !path.startsWith("templates/"))).toEqual([]);
  });

  test("no script imports a command, which would run it", () => {
    const scripts = packed.filter((path) => path.endsWith(".js"));
    expect(scripts.filter((path) => /from "[^"]*\/main\.js"/.test(readFileSync(repository + path, "utf8")))).toEqual(
      [],
    );
  });

  test("has a map for each script that has code of its own", () => {
    const scripts = packed.filter((path) => path.endsWith(".js") && !path.startsWith("dist/dashboard/web/"));
    const unmapped = scripts.filter((path) => !packed.includes(`${path}.map`));
    // the bundler marks where a source begins
    expect(unmapped.filter((path) => /^\/\/ src\//m.test(readFileSync(repository + path, "utf8")))).toEqual([]);
  });

  test("has a map for each declaration, to a source that is there: an editor goes to the definition itself", () => {
    const declarations = packed.filter((path) => path.endsWith(".d.ts"));
    expect(declarations.filter((path) => !packed.includes(`${path}.map`))).toEqual([]);
    const missing = packed
      .filter((path) => path.endsWith(".map") && !path.startsWith("dist/dashboard/web/"))
      .flatMap((path) => {
        const { sources } = JSON.parse(readFileSync(repository + path, "utf8")) as { sources: readonly string[] };
        return sources.map((source) => join(dirname(path), source));
      })
      .filter((source) => !packed.includes(source) && source.startsWith("src/"));
    expect([...new Set(missing)]).toEqual([]);
  });

  test.each(subpaths)("exports from an empty folder, as %s, what its types say", (subpath) => {
    const program = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(specifier(subpath))}))))`;
    const names = JSON.parse(run(process.execPath, ["--input-type=module", "-e", program], folder)) as string[];
    const declared = printSurface(new Map([[specifier(subpath), typesFile(subpath)]]))
      .split("\n")
      .filter((line) => /^[\w$]+: (?:.* & )?(?:abstract )?(?:const|class|function|enum)\b/.test(line))
      .map((line) => line.slice(0, line.indexOf(":")));
    expect(names.toSorted()).toEqual(declared.toSorted());
    expect(names.length).toBeGreaterThan(0);
  });

  test("writes under the program's name where no field manager is given", () => {
    const program = `import { ConfigMap } from "coxswain";
      import { startCluster } from "coxswain/testing";
      const cluster = await startCluster({ clock: "virtual" });
      const maps = cluster.client.resource(ConfigMap, { namespace: "default" });
      const { metadata } = await maps.create({ metadata: { name: "a" }, data: { key: "value" } });
      console.log(metadata.managedFields.map(({ manager }) => manager).join());
      await cluster.close();`;
    writeFileSync(join(folder, "website-operator.mjs"), program);
    expect(run(process.execPath, ["website-operator.mjs"], folder)).toBe("website-operator\n");
  });

  test("has types that a strict compiler accepts, library files included", () => {
    const types = join(folder, "node_modules/@types");
    mkdirSync(types, { recursive: true });
    symlinkSync(join(repository, "node_modules/@types/node"), join(types, "node"));
    symlinkSync(join(repository, "node_modules/undici-types"), join(folder, "node_modules/undici-types"));
    const lines = subpaths.map((subpath, i) => `import * as m${i} from "${specifier(subpath)}";\nvoid m${i};\n`);
    writeFileSync(join(folder, "user.mts"), lines.join(""));
    const flags = "--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2023".split(" ");
    const libraries = ["--lib", "es2023,esnext.disposable", "--types", "node"];
    const tsc = join(repository, "node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...flags, ...libraries, "user.mts"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([0, ""]);
  });

  test("says its version by its command", () => {
    const bin = join(folder, "node_modules/coxswain/dist/cli/main.js");
    const { version } = JSON.parse(readFileSync(`${repository}package.json`, "utf8")) as { version: string };
    expect(run(process.execPath, [bin, "version"], folder)).toContain(version);
  });

  test("simulates as a plain promise under node:test, with the same bytes in a process, another one and a thread", () => {
    writeFileSync(join(folder, "operator.mjs"), simulatedOperator);
    writeFileSync(join(folder, "records.mjs"), recordsOfHistories);
    writeFileSync(
      join(folder, "simulate.test.mjs"),
      `import assert from "node:assert/strict";
      import { test } from "node:test";
      import { simulate } from "coxswain/testing";
      import operator from "./operator.mjs";
      test("converges", async () => assert.deepEqual((await simulate(operator)).failures, []));`,
    );
    expect(run(process.execPath, ["--test", "simulate.test.mjs"], folder)).toContain("pass 1");
    const [first, second] = [1, 2].map(() => run(process.execPath, ["records.mjs"], folder));
    const { here, there } = JSON.parse(first ?? "") as { here: readonly string[]; there: readonly string[] };
    expect(here).toHaveLength(9);
    expect(there).toEqual(here);
    expect(second).toBe(first);
  });

  test("simulates in several processes by its command, and Ctrl-C ends them all with the report so far", async () => {
    const bin = join(folder, "node_modules/coxswain/dist/cli/main.js");
    writeFileSync(join(folder, "operator.mjs"), simulatedOperator);
    const arguments_ = [bin, "simulate", "operator.mjs", "--workers", "2", "--seeds"];
    const ended = run(process.execPath, [...arguments_, "6"], folder);
    const single = /crash-after-write (\d+)/.exec(ended);
    expect(Number(single?.[1])).toBeGreaterThan(0);
    expect(ended).toContain("no history ends badly");
    // a group of its own, as a terminal makes one: Ctrl-C reaches the command and its processes
    const env = { ...environment, TELL: "1" };
    const child = spawn(process.execPath, [...arguments_, "1000000"], { cwd: folder, detached: true, env });
    const exited = once(child, "exit");
    let [out, err] = ["", ""];
    child.stdout.on("data", (data) => (out += String(data)));
    child.stderr.on("data", (data) => {
      const before = err.split("\n").length;
      err += String(data);
      if (before <= 20 && err.split("\n").length > 20) process.kill(-(child.pid ?? 0), "SIGINT");
    });
    const [code] = (await exited) as [number | null];
    expect([code, out]).toEqual([0, expect.stringMatching(/^\d+ histories in /)]);
    expect(out).toContain("no history ends badly");
  });

  test("loads little when it is imported: a file per layer, no large table", () => {
    const loaded = modulesLoadedBy("coxswain");
    const total = loaded.reduce((sum, path) => sum + statSync(path).size, 0);
    const millis = importMillis("coxswain");
    process.stdout.write(
      `importing coxswain: ${loaded.length} modules, ${Math.round(total / 1000)} kB, ${millis} ms (median)\n`,
    );
    expect(loaded.length).toBeLessThan(30);
    expect(total).toBeLessThan(1_500_000);
  });
});

/** An operator and its scenario, as a file for the command; with TELL in the environment it tells of each history. */
const simulatedOperator = `import { ConfigMap, Manager, newControllerRef, Secret } from "coxswain";
export default {
  async operator({ client, clock, random }) {
    const manager = await Manager.create({ client, clock, random });
    manager.controller({
      name: "copies",
      for: ConfigMap,
      owns: [Secret],
      async reconcile({ object, client }) {
        const { name, namespace } = object.metadata;
        const metadata = { name, namespace, ownerReferences: [newControllerRef(object)] };
        await client.apply({ apiVersion: "v1", kind: "Secret", metadata, stringData: object.data ?? {} });
      },
    });
    return manager;
  },
  async scenario({ client }) {
    if (process.env.TELL) process.stderr.write("a history begins\\n");
    await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" }, data: { key: "1" } });
  },
  seeds: 8,
};`;

/** Prints the hash of each history's record, as this process and a thread of it have them. */
const recordsOfHistories = `import { createHash } from "node:crypto";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { simulate } from "coxswain/testing";
import operator from "./operator.mjs";
const here = [];
const judge = ({ history }) => {
  here.push(createHash("sha256").update(JSON.stringify(history.entries)).digest("hex"));
  return [];
};
await simulate({ ...operator, systematic: false, oracles: [{ name: "hash", judge }] });
if (isMainThread) {
  const there = await new Promise((resolve) => new Worker(new URL(import.meta.url)).once("message", resolve));
  console.log(JSON.stringify({ here, there }));
} else parentPort.postMessage(here);`;

/** The files that one import loads, by a loader that writes down each request. */
function modulesLoadedBy(name: string): string[] {
  const list = join(folder, "loaded.txt");
  writeFileSync(list, "");
  const hooks = `import { appendFileSync } from "node:fs";
    export async function load(url, context, next) {
      if (url.startsWith("file:")) appendFileSync(${JSON.stringify(list)}, url + "\\n");
      return next(url, context);
    }`;
  const program = `import { register } from "node:module";
    register("data:text/javascript," + ${JSON.stringify(encodeURIComponent(hooks))});
    await import(${JSON.stringify(name)});`;
  run(process.execPath, ["--input-type=module", "-e", program], folder);
  return readFileSync(list, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((url) => fileURLToPath(url));
}

/** Reported, not judged: the machine may be busy. */
function importMillis(name: string): number {
  const program = `const start = process.hrtime.bigint(); await import(${JSON.stringify(name)}); console.log(Number(process.hrtime.bigint() - start) / 1e6)`;
  const runs = Array.from({ length: 5 }, () =>
    Number(run(process.execPath, ["--input-type=module", "-e", program], folder)),
  );
  return Math.round(runs.toSorted((a, b) => a - b)[2] ?? Number.NaN);
}

describe("package-lock.json", () => {
  const lock = JSON.parse(readFileSync(`${repository}package-lock.json`, "utf8")) as {
    packages: Record<
      string,
      {
        optionalDependencies?: Record<string, string>;
        hasInstallScript?: boolean;
        dev?: boolean;
        optional?: boolean;
        cpu?: readonly string[];
        integrity?: string;
      }
    >;
  };

  test("knows the binaries of every platform, or npm ci would fail (npm run lock completes it)", () => {
    const wanted = Object.values(lock.packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    expect(wanted.filter((name) => !(`node_modules/${name}` in lock.packages))).toEqual([]);
  });

  test("has the integrity of everything but what only other platforms install for development", () => {
    const without = Object.entries(lock.packages).filter(
      ([path, { integrity }]) => path !== "" && integrity === undefined,
    );
    const isForOthers = ({ dev, optional, cpu }: (typeof without)[number][1]): boolean =>
      dev === true && optional === true && cpu !== undefined;
    expect(without.filter(([, entry]) => !isForOthers(entry)).map(([path]) => path)).toEqual([]);
    expect(without.map(([path]) => path).filter((path) => existsSync(`${repository}${path}`))).toEqual([]);
  });

  test("names no registry, and no runtime dependency has an install script", () => {
    expect(JSON.stringify(lock)).not.toContain('"resolved"');
    const runtime = Object.entries(lock.packages).filter(([, { dev }]) => dev !== true);
    expect(runtime.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });
});

describe("the public surface", () => {
  test("is what test/api-surface.txt says (UPDATE=1 rewrites it)", () => {
    const surface = printSurface(new Map(subpaths.map((subpath) => [specifier(subpath), typesFile(subpath)])));
    const file = `${repository}test/api-surface.txt`;
    if (process.env["UPDATE"] === "1") writeFileSync(file, surface);
    expect(surface).toBe(existsSync(file) ? readFileSync(file, "utf8") : "");
  });

  test("closes what it lets dispose: who has no await using has close()", () => {
    const surface = readFileSync(`${repository}test/api-surface.txt`, "utf8").split("\n");
    const disposed = surface.filter((line) => /\bAsyncDisposable\b|Symbol\.asyncDispose/.test(line));
    const without = disposed.filter((line) => !/\bclose\(\): Promise<void>|\b(?:Disposable|Closable) \|/.test(line));
    expect(without).toEqual([]);
    expect(disposed.length).toBeGreaterThan(0);
  });

  test("is read statement by statement", () => {
    const text = `/** A; comment */ import { X } from "./x.js";
export declare class A<T> { #private; get size(): number; m(a: { b: "}" }): void; }
export interface B extends X { readonly c: string; }
export type C = { readonly d: 1; } | "e;";
declare const f: number; export { f, type X as Y };`;
    expect(splitStatements(text)).toEqual([
      'import { X } from "./x.js"',
      'export declare class A<T> { get size(): number; m(a: { b: "}" }): void; }',
      "export interface B extends X { readonly c: string; }",
      'export type C = { readonly d: 1; } | "e;"',
      "declare const f: number",
      "export { f, type X as Y }",
    ]);
  });
});
