/** Who the server is: its certificate authority and the key that signs accounts' tokens. Kept in the data folder, so that a restart changes neither. */
import { randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder } from "../../base/index.js";
import { type CertificateAuthority, createAuthority, newPrivateKey } from "./certificate.js";

export interface ServerIdentity {
  /** Made when first asked for: a server that never listens needs none. */
  authority(): CertificateAuthority;
  /** PEM; made when first asked for, too. Without a folder it does not outlive the process. */
  tokenKey(): string;
}

const commonName = "coxswain-ca";

/** Without a folder, an identity for the life of the process. */
export async function serverIdentity(dataDir: string | undefined, now: number): Promise<ServerIdentity> {
  if (dataDir !== undefined) return storedIdentity(join(dataDir, "pki"), now);
  let made: CertificateAuthority | undefined;
  let tokenKey: string | undefined;
  return {
    tokenKey: () => (tokenKey ??= newPrivateKey()),
    authority: () => (made ??= createAuthority({ commonName, now })),
  };
}

async function storedIdentity(directory: string, now: number): Promise<ServerIdentity> {
  await makePrivateFolder(directory);
  const [key, certificate, tokenKey] = await Promise.all(
    ["ca.key", "ca.crt", "sa.key"].map((name) => readIfThere(join(directory, name))),
  );
  const existing = key === undefined || certificate === undefined ? {} : { existing: { key, certificate } };
  const authority = createAuthority({ commonName, now, ...existing });
  const signing = tokenKey ?? newPrivateKey();
  if (!("existing" in existing)) {
    await writeWhole(join(directory, "ca.key"), authority.key);
    await writeWhole(join(directory, "ca.crt"), authority.certificate);
  }
  if (tokenKey === undefined) await writeWhole(join(directory, "sa.key"), signing);
  return { authority: () => authority, tokenKey: () => signing };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Never half-written, and for the owner alone. */
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}
