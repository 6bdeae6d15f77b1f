/**
 * Gives the server's certificate authority and the key that signs service account tokens; kept in a folder, so that
 * they survive a restart.
 */
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { closeFile, createPrivateFile, type Logger, makePrivateFolder, messageOf } from "../../base/index.js";
import { type CertificateAuthority, createAuthority, newPrivateKey } from "../../base/x509/certificate.js";

export interface ServerIdentity {
  /** Made at the first call: a server that never listens needs none. */
  authority(): CertificateAuthority;
  /**
   * The authority of the certificate by which this server shows extension servers that it speaks for its users. Another
   * one than that of clients, who could otherwise speak for each other. Made at the first call.
   */
  frontProxy(): CertificateAuthority;
  /** PEM; made at the first call. Without a folder the key lives as long as the process. */
  tokenKey(): string;
}

export interface IdentityOptions {
  /** Absent for an identity that lives as long as the process. */
  readonly folder: string | undefined;
  readonly now: number;
  readonly log: Logger;
}

const commonName = "coxswain-ca";
const frontProxyName = "coxswain-front-proxy-ca";

export async function serverIdentity(options: IdentityOptions): Promise<ServerIdentity> {
  const { folder, now, log } = options;
  // its key need not outlive the process: extension servers read the authority's certificate again when it changes
  let proxy: CertificateAuthority | undefined;
  const frontProxy = (): CertificateAuthority => (proxy ??= createAuthority({ commonName: frontProxyName, now }));
  if (folder !== undefined) return { ...(await storedIdentity(join(folder, "pki"), now, log)), frontProxy };
  let made: CertificateAuthority | undefined;
  let tokenKey: string | undefined;
  return {
    frontProxy,
    tokenKey: () => (tokenKey ??= newPrivateKey()),
    authority: () => (made ??= createAuthority({ commonName, now })),
  };
}

/**
 * The key is written before its certificate, which can be made anew from the key. So neither a crash between the two
 * nor two processes at once do harm.
 */
async function storedIdentity(
  directory: string,
  now: number,
  log: Logger,
): Promise<Omit<ServerIdentity, "frontProxy">> {
  await makePrivateFolder(directory);
  const [keyFile, certificateFile, tokenFile] = ["ca.key", "ca.crt", "sa.key"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  const there = new Set(await readdir(directory));
  if (there.has("ca.crt") && !there.has("ca.key")) {
    throw new Error(`${keyFile} is missing, the key of ${certificateFile}: put it back, or remove both${consequence}`);
  }
  for (const path of [keyFile, tokenFile]) {
    if (!there.has(path.slice(directory.length + 1))) continue;
    const before = await closeFile(path);
    if (before !== undefined)
      log.warn("others could read a key; now its owner alone can", { file: path, mode: before });
  }
  const key = await readOrCreate(keyFile, newPrivateKey);
  const made = (): CertificateAuthority => createAuthority({ commonName, now, existing: { key: keyIn(keyFile, key) } });
  const certificate = await readOrCreate(certificateFile, () => made().certificate);
  check({ keyFile, certificateFile, key, certificate, now });
  const tokenKey = keyIn(tokenFile, await readOrCreate(tokenFile, newPrivateKey));
  const authority = createAuthority({ commonName, now, existing: { key, certificate } });
  return { authority: () => authority, tokenKey: () => tokenKey };
}

const consequence = ": then the server makes new ones, and kubeconfigs made before are of no use";

/** Gives the text if it is a private key; throws otherwise. */
function keyIn(path: string, text: string): string {
  try {
    createPrivateKey(text);
    return text;
  } catch (error) {
    const which = path.endsWith("sa.key")
      ? `it${consequence.replace("kubeconfigs", "tokens")}`
      : `it and ca.crt${consequence}`;
    throw new Error(`${path} is no private key (${messageOf(error)}): put it back from a copy, or remove ${which}`, {
      cause: error,
    });
  }
}

interface Authority {
  readonly keyFile: string;
  readonly certificateFile: string;
  readonly key: string;
  readonly certificate: string;
  readonly now: number;
}

/**
 * Throws unless the certificate is this server's authority, fits the key, and is valid now. Clients then trust the
 * certificates that the key signs.
 */
function check({ keyFile, certificateFile, key, certificate, now }: Authority): void {
  const wrong = (what: string): Error =>
    new Error(`${certificateFile} ${what}: put ca.key and ca.crt back from a copy, or remove both${consequence}`);
  const signer = createPublicKey(keyIn(keyFile, key));
  let read: X509Certificate;
  try {
    read = new X509Certificate(certificate);
  } catch {
    throw wrong("is no certificate");
  }
  if (!read.publicKey.equals(signer)) throw wrong(`does not fit the key in ${keyFile}`);
  if (!read.ca || read.subject !== `CN=${commonName}`) throw wrong("is not the certificate of this server's authority");
  if (now >= Date.parse(read.validTo)) throw wrong(`has expired (${read.validTo})`);
  if (now < Date.parse(read.validFrom)) {
    throw new Error(
      `${certificateFile} is not valid before ${read.validFrom}: see whether this machine's clock is right`,
    );
  }
}

/** The text of a file, which is created if it does not exist. Several processes at once all get the text of the first. */
async function readOrCreate(path: string, make: () => string): Promise<string> {
  const found = await readIfThere(path);
  if (found !== undefined) return found;
  const made = make();
  return (await createPrivateFile(path, made)) ? made : ((await readIfThere(path)) ?? made);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`cannot read ${path} (${messageOf(error)})`, { cause: error });
  }
}
