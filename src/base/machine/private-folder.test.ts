import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { closeFile, closeFolder, createPrivateFile, makePrivateFolder, writePrivateFile } from "./private-folder.js";

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

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "coxswain-folder-"));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe.skipIf(process.platform === "win32")("what others may do (there are no modes on Windows)", () => {
  const isOurs = (name: string): boolean => name === "ours";

  test.each([0o777, 0o770, 0o755])(
    "is taken from a folder of mode %o that has nothing but ours in it",
    async (mode) => {
      const path = await folder();
      await writeFile(join(path, "ours"), "");
      await chmod(path, mode);
      expect(await closeFolder(path, isOurs)).toBe(mode.toString(8));
      expect([await modeOf(path), await closeFolder(path, isOurs)]).toEqual([0o700, undefined]);
    },
  );

  test("stays in a folder with other things, which is refused if they may write to it", async () => {
    const path = await folder();
    await writeFile(join(path, "theirs"), "");
    await chmod(path, 0o755);
    expect([await closeFolder(path, isOurs), await modeOf(path)]).toEqual([undefined, 0o755]);
    await chmod(path, 0o777);
    await expect(closeFolder(path, isOurs)).rejects.toThrow(
      `others may change what is in the folder ${path} (its mode is 777): give a folder in it that is not there yet`,
    );
    expect(await modeOf(path)).toBe(0o777);
  });

  test("stays in an empty folder that is made to be shared, which is refused", async () => {
    const path = await folder();
    await chmod(path, 0o1777);
    await expect(closeFolder(path, isOurs)).rejects.toThrow("(its mode is 1777)");
    expect(await modeOf(path)).toBe(0o777);
  });

  test("is taken from a file", async () => {
    const path = join(await folder(), "file");
    await writeFile(path, "", { mode: 0o644 });
    expect([await closeFile(path), await modeOf(path), await closeFile(path)]).toEqual(["644", 0o600, undefined]);
  });
});

describe("a private file", () => {
  test("is replaced by one and kept by the other way to write it, and leaves no draft", async () => {
    const path = await folder();
    const file = join(path, "file");
    expect([await createPrivateFile(file, "1"), await createPrivateFile(file, "2")]).toEqual([true, false]);
    expect(await readFile(file, "utf8")).toBe("1");
    await writePrivateFile(file, "3");
    expect([await readFile(file, "utf8"), await modeOf(file)]).toEqual(["3", 0o600]);
    await mkdir(join(path, "folder"));
    await expect(writePrivateFile(join(path, "folder"), "4")).rejects.toThrow("EISDIR");
    expect((await readdir(path)).toSorted()).toEqual(["file", "folder"]);
  });
});
