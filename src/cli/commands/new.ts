/** `coxswain new NAME`: makes the project of a new operator in a folder of its own. */
import { existsSync, readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Command } from "commander";
import { parsePath } from "../flags.js";
import type { Terminal } from "../terminal.js";
import { projectFiles } from "../scaffold/project.js";
import { packageVersion } from "../version.js";

interface NewFlags {
  readonly kind: string;
  readonly group: string;
  readonly apiVersion: string;
  readonly package?: string;
}

export function newCommand(terminal: Terminal): Command {
  return new Command("new")
    .description("make the project of a new operator: a kind, a reconciler, tests, image, CI")
    .argument("<folder>", "a new folder; its last part is the project's name", parsePath)
    .option("--kind <kind>", "the kind that it manages", "Website")
    .option("--group <group>", "the group of the kind", "example.com")
    .option("--api-version <version>", "the version of the kind", "v1")
    .option("--package <package>", "the coxswain that it depends on, as npm takes it; this version without it")
    .action(async (folder: string, flags: NewFlags) => {
      const name = basename(resolve(folder));
      const { kind, group, apiVersion: version, package: coxswain = `^${packageVersion()}` } = flags;
      const files = projectFiles({ name, kind, group, version, coxswain });
      if (existsSync(folder) && readdirSync(folder).length > 0)
        throw new Error(`${folder} exists and is not empty: give a new folder`);
      for (const [path, text] of files) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      terminal.out(
        `${folder} is an operator for ${kind}: ${files.size} files; README.md says which.\n\n  cd ${folder}\n  npm install\n  npm test\n`,
      );
    });
}
