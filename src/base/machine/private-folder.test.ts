import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makePrivateFolder } from "./private-folder.js";

describe("makePrivateFolder", () => {
  test("makes the folder and those above it for their owner alone, any number of times at once", async () => {
    const root = await mkdtemp(join(tmpdir(), "coxswain-folder-"));
    try {
      const path = join(root, "a", "b", "c");
      await Promise.all([makePrivateFolder(path), makePrivateFolder(path), makePrivateFolder(join(root, "a", "d"))]);
      await makePrivateFolder(path);
      for (const folder of [path, join(root, "a"), join(root, "a", "d")]) {
        expect((await stat(folder)).mode & 0o777).toBe(0o700);
      }
    } finally {
      await rm(root, { recursive: true });
    }
  });

  test("says which folder cannot be made, and what to do", async () => {
    const root = await mkdtemp(join(tmpdir(), "coxswain-folder-"));
    try {
      await writeFile(join(root, "file"), "");
      const path = join(root, "file", "below");
      await expect(makePrivateFolder(path)).rejects.toThrow(
        `cannot make the folder ${path} (EEXIST: file already exists, mkdir '${join(root, "file")}'): choose one that can be written to`,
      );
    } finally {
      await rm(root, { recursive: true });
    }
  });

  test.skipIf(process.platform !== "linux")(
    "ends where the system refuses every folder (/proc, on Linux)",
    async () => {
      await expect(makePrivateFolder("/proc/coxswain/data")).rejects.toThrow(
        "cannot make the folder /proc/coxswain/data",
      );
    },
  );
});
