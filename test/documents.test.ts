/** The documents: links lead somewhere, and the code in them compiles against the package as users see it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { repository } from "./source-files.js";

const guides = readdirSync(`${repository}docs`).filter((name) => name.endsWith(".md"));
const examples = readdirSync(`${repository}examples`).filter((name) =>
  existsSync(`${repository}examples/${name}/README.md`),
);
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "src/apiserver/README.md",
  ...guides.map((name) => `docs/${name}`),
  ...examples.map((name) => `examples/${name}/README.md`),
];
const read = (document: string): string => readFileSync(`${repository}${document}`, "utf8");

test.each(documents)("%s links only to what is there", (document) => {
  const links = [...read(document).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? "");
  const inside = links.filter((link) => !link.startsWith("http"));
  expect(inside.filter((link) => !existsSync(join(repository, dirname(document), link)))).toEqual([]);
});

test("README.md leads to every guide", () => {
  const readme = read("README.md");
  expect(guides.filter((name) => !readme.includes(`docs/${name}`))).toEqual([]);
});

test("README.md has its two commands on the first screen", () => {
  const firstScreen = read("README.md").split("\n").slice(0, 24).join("\n");
  expect(firstScreen).toContain("npm ci && npm start");
  expect(firstScreen).toContain("npm ci && npm test");
});

interface Snippet {
  readonly file: string;
  readonly code: string;
}

/** Each in a file of the name that the line before it gives, or else of its place, so that the compiler's messages say where to look. */
function snippetsOf(document: string): Snippet[] {
  const text = read(document);
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => {
    const before = text.slice(0, match.index);
    const named = /`([\w-]+\.ts)`[^\n]*:\n+$/.exec(before)?.[1];
    return { file: join(document, named ?? `line-${before.split("\n").length}.ts`), code: match[1] ?? "" };
  });
}

/** The names that a fragment of a program may use without importing them: the names that the guides have introduced. */
const prelude = `import {
  type Client, ConfigMap, Deployment, desired, type KubeObject, Manager, owned, Pod, Secret, Service,
  SharedInformerFactory, TerminalError, watch, withConditions,
} from "coxswain";
import { Foo } from "./foo.js";
declare const client: Client;
declare const manager: Manager;
declare const signal: AbortSignal;
declare function deploymentFor(foo: Foo): Deployment;
declare function serviceFor(foo: Foo): Service;
`;

/** A program stands as it is; a part of one is put where it could stand. */
const asModule = (code: string): string =>
  /^import /m.test(code) ? code : `${prelude}export async function part() {\n${code}\n}\n`;

/** Files beside each snippet, of which the guides say only the name. */
const beside: readonly (readonly [name: string, exported: string, original: string])[] = [
  ["foo.ts", "Foo", "foo.js"],
  ["deployment.ts", "deploymentFor", "deployment.js"],
  ["foo-controller.ts", "fooController", "high-level.js"],
];

test("every example in the documents compiles", () => {
  const folder = `${repository}.cache/documents`;
  rmSync(folder, { recursive: true, force: true });
  const snippets = documents.flatMap(snippetsOf);
  expect(snippets.length).toBeGreaterThan(15);
  for (const { file, code } of snippets) {
    const home = join(folder, dirname(file));
    mkdirSync(home, { recursive: true });
    writeFileSync(join(folder, file), asModule(code));
    for (const [name, exported, original] of beside) {
      const from = relative(home, `${repository}examples/sample-controller/${original}`);
      writeFileSync(join(home, name), `export { ${exported} } from "${from}";\n`);
    }
  }
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false, noImplicitReturns: false };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include: ["**/*.ts"] }),
  );
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "--noEmit", "-p", folder], { encoding: "utf8" });
  expect([stdout, status]).toEqual(["", 0]);
});
