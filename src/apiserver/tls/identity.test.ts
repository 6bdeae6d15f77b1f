import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { X509Certificate } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { silentLogger } from "../../base/index.js";
import { newPrivateKey } from "../../base/x509/certificate.js";
import { serverIdentity } from "./identity.js";

const now = Date.UTC(2030, 0, 1);
const years = 365 * 24 * 3_600_000;

async function madeIn(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-identity-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await identityIn(folder);
  return folder;
}

const identityIn = (folder: string, at = now) => serverIdentity({ folder, now: at, log: silentLogger });

describe("a server's identity in a folder", () => {
  test("is the same at the next start, and for its owner alone", async () => {
    const folder = await madeIn();
    const [first, second] = [await identityIn(folder), await identityIn(folder)];
    expect(second.authority().certificate).toBe(first.authority().certificate);
    expect(second.tokenKey()).toBe(first.tokenKey());
    expect((await readdir(join(folder, "pki"))).toSorted()).toEqual(["ca.crt", "ca.key", "sa.key"]);
    for (const name of ["ca.crt", "ca.key", "sa.key"]) {
      expect((await stat(join(folder, "pki", name))).mode & 0o777).toBe(0o600);
    }
  });

  test("is one, also if several begin at once", async () => {
    const folder = await mkdtemp(join(tmpdir(), "coxswain-identity-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const made = await Promise.all(Array.from({ length: 5 }, () => identityIn(folder)));
    expect(new Set(made.map((identity) => identity.authority().certificate)).size).toBe(1);
    expect(new Set(made.map((identity) => identity.tokenKey())).size).toBe(1);
  });

  test("whose certificate is lost gets a new one for the same key, and what was signed before is still believed", async () => {
    const folder = await madeIn();
    const before = (await identityIn(folder)).authority();
    await rm(join(folder, "pki", "ca.crt"));
    const after = (await identityIn(folder, now + 1000)).authority();
    expect(after.certificate).not.toBe(before.certificate);
    const issued = new X509Certificate(after.issue({ commonName: "a", use: "client" }).certificate);
    expect(issued.verify(new X509Certificate(before.certificate).publicKey)).toBe(true);
  });

  test("whose keys others may read is closed to them", async () => {
    const folder = await madeIn();
    await chmod(join(folder, "pki", "sa.key"), 0o644);
    await identityIn(folder);
    expect((await stat(join(folder, "pki", "sa.key"))).mode & 0o777).toBe(0o600);
  });

  test.each([
    { file: "ca.crt", text: "garbage", says: "ca.crt is no certificate: put ca.key and ca.crt back" },
    { file: "ca.crt", text: "", says: "ca.crt is no certificate" },
    { file: "ca.key", text: "garbage", says: "ca.key is no private key" },
    { file: "ca.key", text: newPrivateKey(), says: /ca\.crt does not fit the key in .*ca\.key/ },
    {
      file: "sa.key",
      text: "garbage",
      says: /sa\.key is no private key .* or remove it: then .* tokens made before are of no use/,
    },
  ])("is refused with $text as $file", async ({ file, text, says }) => {
    const folder = await madeIn();
    await writeFile(join(folder, "pki", file), text);
    await expect(identityIn(folder)).rejects.toThrow(says);
    expect(await readFile(join(folder, "pki", file), "utf8")).toBe(text);
  });

  test("is refused without its key, with a certificate of another name, after its time and before it", async () => {
    const folder = await madeIn();
    await expect(identityIn(folder, now + 10 * years)).rejects.toThrow("ca.crt has expired (");
    await expect(identityIn(folder, now - years)).rejects.toThrow("see whether this machine's clock is right");
    const pki = join(folder, "pki");
    const { certificate, key } = (await identityIn(folder)).authority().issue({ commonName: "other", use: "server" });
    await writeFile(join(pki, "ca.crt"), certificate);
    await writeFile(join(pki, "ca.key"), key);
    await expect(identityIn(folder)).rejects.toThrow("is not the certificate of this server's authority");
    await rm(join(pki, "ca.key"));
    await expect(identityIn(folder)).rejects.toThrow(
      /ca\.key is missing, the key of .*ca\.crt: put it back, or remove both/,
    );
  });

  test("is refused where a file is in its place", async () => {
    const folder = await madeIn();
    await rm(join(folder, "pki", "ca.key"));
    await mkdir(join(folder, "pki", "ca.key"));
    await expect(identityIn(folder)).rejects.toThrow(/cannot read .*ca\.key \(EISDIR/);
    await rm(join(folder, "pki"), { recursive: true });
    await writeFile(join(folder, "pki"), "");
    await expect(identityIn(folder)).rejects.toThrow("cannot make the folder");
  });
});
