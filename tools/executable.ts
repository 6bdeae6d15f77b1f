/**
 * `npm run build:executable`: makes one file that runs the command line on machines without Node: this Node itself, with
 * the program and its dependencies in it (Node's single executable applications). Prints the file and its size.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const folder = ".cache/executable";
const [bundle, blob, config] = ["coxswain.cjs", "coxswain.blob", "sea.json"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
const executable = join(folder, process.platform === "win32" ? "coxswain.exe" : "coxswain");
/** The mark in Node's file that says whether a program is in it. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

mkdirSync(folder, { recursive: true });
const build = await rolldown({
  input: "src/cli/main.ts",
  platform: "node",
  external: [/^node:/],
  transform: { target: "es2023" },
});
await build.write({ file: bundle, format: "cjs", codeSplitting: false, comments: false, minify: "dce-only" });
await build.close();
const about = { main: bundle, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true };
writeFileSync(config, JSON.stringify({ ...about, assets: { "package.json": "package.json" } }));
execFileSync(process.execPath, ["--experimental-sea-config", config], { stdio: ["ignore", "ignore", "inherit"] });
copyFileSync(process.execPath, executable);
chmodSync(executable, 0o755);
const segment = process.platform === "darwin" ? ["--macho-segment-name", "NODE_SEA"] : [];
const args = [executable, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse, ...segment];
execFileSync(process.execPath, ["node_modules/postject/dist/cli.js", ...args], { stdio: "ignore" });
console.log(
  `${executable}: ${(statSync(executable).size / 1e6).toFixed(0)} MB, of which ${(statSync(blob).size / 1e6).toFixed(1)} MB are Coxswain`,
);
