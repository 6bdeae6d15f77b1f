/** `coxswain new`: a project that passes its tests at once and installs in a cluster. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Deployment } from "coxswain/api";
import { connect } from "coxswain/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { embeddedTls, realTls, type TlsServer } from "../../examples/testing/account.js";
import { runCommandLine } from "../../src/cli/program.js";
import { projectFiles } from "../../src/cli/scaffold/project.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { eventually } from "../eventually.js";
import { repository } from "../source-files.js";

const names = { name: "my-operator", group: "example.com", kind: "Website", version: "v1", coxswain: "^0.1.0" };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-new-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function create(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: "", err: "" };
  const code = await runCommandLine(["new", ...args], {
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
    stopSignal: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => {} }),
  });
  return { code, ...printed };
}

test("the names of a project stand everywhere", () => {
  const files = projectFiles({
    ...names,
    name: "blog-operator",
    kind: "Entry",
    group: "blog.example",
    version: "v1beta1",
  });
  const all = [...files].map(([path, text]) => `${path}\n${text}`).join("\n");
  expect(all).not.toMatch(/website|my-operator|example\.com/i);
  expect([...files.keys()]).toEqual(
    expect.arrayContaining([
      ".gitignore",
      ".github/workflows/ci.yaml",
      "Dockerfile",
      "src/entry.ts",
      "src/operator.ts",
    ]),
  );
  expect(files.get("sample.yaml")).toContain("apiVersion: blog.example/v1beta1\nkind: Entry\n");
  expect(files.get("src/entry.ts")).toContain('plural: "entries"');
  expect(files.get("src/entry.ts")).toContain('version: "v1beta1"');
  expect(JSON.parse(files.get("package.json") ?? "")).toMatchObject({
    name: "blog-operator",
    dependencies: { coxswain: "^0.1.0" },
  });
});

test("the compiler and the types of a new project are those of this package", () => {
  const { devDependencies } = JSON.parse(projectFiles(names).get("package.json") ?? "") as Record<string, object>;
  const own = JSON.parse(readFileSync(`${repository}package.json`, "utf8")) as { devDependencies: object };
  expect(own.devDependencies).toMatchObject(devDependencies ?? {});
});

test("npm create has the version of the package", () => {
  const read = (path: string): { version: string; dependencies: Record<string, string> } =>
    JSON.parse(readFileSync(`${repository}${path}`, "utf8")) as never;
  const { version } = read("package.json");
  expect(read("create-coxswain/package.json")).toMatchObject({ version, dependencies: { coxswain: version } });
});

test("a folder that is not empty stays as it is, and names that cannot be are refused", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "mine"), "");
  expect((await create(join(folder))).err).toMatch(/the name|is not empty/);
  const inside = join(folder, "my-operator");
  expect((await create(inside)).out).toContain("npm install");
  expect((await create(inside)).err).toContain("exists and is not empty");
  for (const [args, said] of [
    [["--kind", "website"], "a kind is a word such as Website"],
    [["--kind", "Deployment"], "uses this name for something else"],
    [["--group", "example"], "a group has a dot"],
    [["--api-version", "1"], "a version is v1"],
  ] as const)
    expect((await create(join(folder, "other"), ...args)).err).toContain(said);
  expect((await create(join(folder, "No_Name"))).err).toContain('the name "No_Name"');
});

const isFull = process.env["COXSWAIN_FULL"] === "1";

describe.skipIf(!isFull)("made from the packed package (needs COXSWAIN_FULL=1, a build and npm)", () => {
  const run = (program: string, args: readonly string[], cwd: string): string =>
    execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

  test("npm create makes it; it installs, compiles, passes its tests, and runs on both servers", async () => {
    const folder = temporaryFolder();
    const pack = (cwd: string): string =>
      join(
        folder,
        run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], cwd).trim().split("\n").at(-1) ?? "",
      );
    const tarball = pack(repository);
    const app = join(folder, "my-operator");
    // npm create runs an installed create-coxswain, and asks the registry for one otherwise
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "made-here", private: true }));
    const creator = pack(join(repository, "create-coxswain"));
    run(
      "npm",
      ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", creator, tarball],
      folder,
    );
    run("npm", ["create", "coxswain", "my-operator", "--", "--package", `file:${tarball}`], folder);
    run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], app);
    expect(run("npm", ["test"], app)).toMatch(/pass 3\b/);
    for (const open of [embeddedTls, ...(hasRealCluster() ? [realTls] : [])]) await runsOn(await open(), app);
  });
});

/** The program with its own flags, as `npm start` runs it. */
async function runsOn({ kubeconfig }: TlsServer, app: string): Promise<void> {
  const args = ["dist/main.js", "--install-definitions", "--kubeconfig", kubeconfig];
  const operator = spawn(process.execPath, args, { cwd: app, stdio: ["ignore", "ignore", "inherit"] });
  onTestFinished(() => void operator.kill("SIGKILL"));
  await using client = await connect({ kubeconfig });
  const path = "/apis/example.com/v1/namespaces/default/websites";
  const body = { apiVersion: "example.com/v1", kind: "Website", metadata: { name: "a" }, spec: { image: "nginx" } };
  const { defineResource } = await import("coxswain/api");
  const Website = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Website",
    plural: "websites",
    scope: "Namespaced",
  });
  await eventually(`${path} is served`, () =>
    client
      .resource(Website, { namespace: "default" })
      .create(body as never)
      .then(
        () => true,
        () => false,
      ),
  );
  await client.resource(Deployment, { namespace: "default" }).waitFor("a", (now) => now?.spec?.replicas === 1);
  operator.kill("SIGTERM");
  expect(await once(operator, "exit")).toEqual([0, null]);
}
