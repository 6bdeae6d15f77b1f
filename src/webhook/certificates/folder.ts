/** Reads certificates from a folder into which others put them, as cert-manager's Secrets are mounted. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { KeyPair } from "../server.js";

export interface Mounted {
  readonly serving: KeyPair;
  /** "" if the folder has no ca.crt: the maker of the certificate, such as cert-manager, then writes caBundle too. */
  readonly bundle: string;
}

/** Rejects with an error that names the file that is missing. */
export async function certificatesFrom(directory: string): Promise<Mounted> {
  const read = (name: string): Promise<string> => readFile(join(directory, name), "utf8");
  const [certificate, key] = await Promise.all([read("tls.crt"), read("tls.key")]).catch((error: unknown) => {
    throw new Error(`the webhooks need tls.crt and tls.key in ${directory}`, { cause: error });
  });
  return { serving: { key, certificate }, bundle: await read("ca.crt").catch(() => "") };
}
