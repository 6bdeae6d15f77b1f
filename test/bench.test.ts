import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { repository } from "./source-files.js";

const full = process.env["COXSWAIN_FULL"] === "1";

describe.skipIf(!full)("npm run bench (only in test:full)", () => {
  test("prints with --json one object and nothing else", async () => {
    const args = ["run", "--silent", "bench", "--", "heap", "--json"];
    const { stdout } = await promisify(execFile)("npm", args, { cwd: repository });
    const number = expect.any(Number) as number;
    expect(JSON.parse(stdout)).toEqual({
      name: "heap",
      figures: { "Heap (ns/operation)": number, "sorted array (ns/operation)": number },
      ratios: { "faster than a sorted array": number },
    });
  });

  test("names what it does not know and exits with 2", async () => {
    const failure = promisify(execFile)("npm", ["run", "--silent", "bench", "--", "nope"], { cwd: repository });
    await expect(failure).rejects.toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("nope") as string,
    });
  });
});
