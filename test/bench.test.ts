import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { repository } from "./source-files.js";

const full = process.env["COXSWAIN_FULL"] === "1";

describe.skipIf(!full)("npm run bench (only in test:full)", () => {
  // in a copy, because it builds again and other tests run the build in this folder
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "coxswain-bench-"));
    const apart = new Set(["node_modules", "dist", ".cache", ".git"]);
    await cp(repository, folder, { recursive: true, filter: (path) => !apart.has(relative(repository, path)) });
    await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("prints with --json one object and nothing else", async () => {
    const args = ["run", "--silent", "bench", "--", "heap", "--json"];
    const { stdout } = await promisify(execFile)("npm", args, { cwd: folder });
    const number = expect.any(Number) as number;
    expect(JSON.parse(stdout)).toEqual({
      name: "heap",
      figures: { "Heap (ns/operation)": number, "sorted array (ns/operation)": number },
      ratios: { "faster than a sorted array": number },
    });
  });

  test("names what it does not know and exits with 2", async () => {
    const failure = promisify(execFile)("npm", ["run", "--silent", "bench", "--", "nope"], { cwd: folder });
    await expect(failure).rejects.toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("nope") as string,
    });
  });
});
