/**
 * Writes, or with `--verify` compares, every generated file of the repository. Each generator gives paths with their
 * whole content.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { kubernetesGenerator } from "./kubernetes/generator.js";
import { SourcesUnavailable } from "./kubernetes/modules.js";

export interface Generator {
  readonly name: string;
  /** Folders that hold nothing but this generator's files. */
  readonly folders: readonly string[];
  /** Paths from the repository's root. */
  files(): Promise<ReadonlyMap<string, string>>;
}

const generators: readonly Generator[] = [kubernetesGenerator];

async function main(verify: boolean): Promise<number> {
  let wrong = 0;
  for (const generator of generators) {
    try {
      const files = await generator.files();
      const differing = verify ? await compare(generator, files) : await write(generator, files);
      for (const path of differing) console.error(`${verify ? "differs" : "wrote"}: ${path}`);
      console.error(`${generator.name}: ${files.size} files, ${differing.length} ${verify ? "differ" : "written"}`);
      if (verify) wrong += differing.length;
    } catch (error) {
      if (!(error instanceof SourcesUnavailable)) throw error;
      console.error(`SKIPPED: ${generator.name} could not be ${verify ? "verified" : "generated"}: ${error.message}.`);
      console.error("It needs the go client and access to a Go module proxy.");
      if (!verify) wrong++;
    }
  }
  return wrong === 0 ? 0 : 1;
}

async function compare(generator: Generator, files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const differing = await stale(generator, files);
  for (const [path, content] of files) {
    if ((await contentOf(path)) !== content) differing.push(path);
  }
  return differing;
}

async function write(generator: Generator, files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  for (const path of await stale(generator, files)) await rm(path);
  const written: string[] = [];
  for (const [path, content] of files) {
    if ((await contentOf(path)) === content) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    written.push(path);
  }
  return written;
}

/** Files in the generator's folders that it does not write any more. */
async function stale(generator: Generator, files: ReadonlyMap<string, string>): Promise<string[]> {
  const found: string[] = [];
  for (const folder of generator.folders) {
    const names = await readdir(folder).catch(() => []);
    found.push(...names.map((name) => join(folder, name)).filter((path) => !files.has(path)));
  }
  return found;
}

async function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

process.exitCode = await main(process.argv.includes("--verify"));
