import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readArchive, writeArchive } from "./archive.js";
import { ContainerFiles } from "./files.js";

const input = (...files: readonly (readonly [string, string])[]): { stdin: Readable } => ({
  stdin: Readable.from([writeArchive(files.map(([name, text]) => [name, Buffer.from(text)] as const))]),
});

test("what is packed is unpacked as the same", () => {
  const name = fc.string({ minLength: 1, maxLength: 300 }).filter((text) => !/[\0\n]/.test(text));
  const content = fc.uint8Array({ maxLength: 1_500 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, content), { selector: ([one]) => one, maxLength: 5 }), (files) => {
      expect([...readArchive(writeArchive(files))]).toEqual(files);
    }),
  );
});

test("bytes that are no archive are refused, and nothing else happens", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 512, maxLength: 2_000 }), (bytes) => {
      fc.pre(bytes.some((byte) => byte !== 0));
      expect(() => readArchive(Buffer.from(bytes))).toThrow("does not look like a tar archive");
    }),
  );
});

test("files that were copied into a container are shown and given back, to this container alone", async () => {
  const files = new ContainerFiles();
  const unpacked = await files.run("a", ["tar", "-xmf", "-", "-C", "/tmp"], input(["x", "one"], ["dir/y", "two"]));
  expect(unpacked).toEqual({ code: 0 });
  expect(await files.run("a", ["cat", "/tmp/x", "/tmp/dir/y"])).toEqual({
    code: 0,
    stdout: Buffer.from("onetwo"),
  });
  const packed = await files.run("a", ["tar", "cf", "-", "/tmp/dir"]);
  expect([...readArchive(packed?.stdout ?? Buffer.alloc(0))]).toEqual([["tmp/dir/y", Buffer.from("two")]]);
  expect(await files.run("b", ["tar", "cf", "-", "/tmp/x"])).toMatchObject({ code: 2 });
  expect(await files.run("b", ["cat", "/tmp/x"])).toBeUndefined();
});

test("a name that leads upwards stays within the container", async () => {
  const files = new ContainerFiles();
  await files.run("a", ["tar", "-xmf", "-", "-C", "/tmp"], input(["../../../etc/passwd", "mine"]));
  expect(await files.run("a", ["cat", "/etc/passwd"])).toEqual({ code: 0, stdout: Buffer.from("mine") });
});

test("an archive that is too large does not fit, and other commands are not about files", async () => {
  const files = new ContainerFiles();
  const large = await files.run("a", ["tar", "-xmf", "-", "-C", "/"], input(["x", "y".repeat(5_000_000)]));
  expect(large).toMatchObject({ code: 2, stderr: expect.stringContaining("No space left") as string });
  for (const command of [["cat"], ["cat", "-n", "x"], ["tar", "--version"], ["ls"], []])
    expect(await files.run("a", command)).toBeUndefined();
});
