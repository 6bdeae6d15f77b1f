import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build as esbuild } from "esbuild-wasm";
import { rolldown } from "rolldown";
import { expect, onTestFinished, test } from "vitest";
import { repository } from "../source-files.js";

const entry = `${repository}test/bundling/operator.ts`;
/** As users get it: the built files, whose packages are bundled too. */
const alias = {
  "coxswain/apiserver": `${repository}dist/apiserver/index.js`,
  "coxswain/client": `${repository}dist/client/index.js`,
  coxswain: `${repository}dist/index.js`,
};
/** A folder outside of every node_modules, so that nothing is found that is not in the bundle. */
async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-bundled-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "out"));
  return folder;
}

async function run(file: string, folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [file, join(folder, "kubeconfig")], { cwd: folder });
  return stdout.trim();
}

const expected = "reconciled bundled, knows Foo and 1 context";

test("an operator that esbuild has bundled into one file runs alone", async () => {
  const folder = await emptyFolder();
  const outfile = join(folder, "out", "operator.mjs");
  await esbuild({
    entryPoints: [entry],
    outfile,
    alias,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });
  expect(await run(outfile, folder)).toBe(expected);
});

test("an operator that rolldown has bundled runs alone", async () => {
  const folder = await emptyFolder();
  const bundle = await rolldown({
    input: entry,
    platform: "node",
    resolve: { alias },
    transform: { target: "es2023" },
  });
  await bundle.write({ dir: join(folder, "out"), format: "esm", entryFileNames: "operator.mjs" });
  await bundle.close();
  expect(await run(join(folder, "out", "operator.mjs"), folder)).toBe(expected);
});
