/** Certificates from files that may be rotated, or from data. */
import { defined } from "../../base/defined.js";
import { readFile } from "node:fs/promises";
import { ConnectionError, messageOf } from "../failure.js";
import type { TlsMaterial } from "../transport/endpoint.js";
import type { AccessConfig, PemSource } from "./access.js";
import type { ExecCredentials } from "./exec-plugin.js";

type Part = "ca" | "cert" | "key";

/**
 * Reads the files anew at each call and gives the same object while nothing changed. Material that cannot be read, is
 * empty, or does not fit together (half of a pair was replaced) leaves the last good material in force; without one it
 * is an error.
 */
export function tlsMaterial(
  access: AccessConfig,
  exec: Pick<ExecCredentials, "current"> | undefined,
): () => Promise<TlsMaterial> {
  let good: { readonly texts: string; readonly material: TlsMaterial } | undefined;

  async function read(): Promise<TlsMaterial> {
    const { ca, clientCertificate: pair } = access;
    const plugged = exec === undefined ? undefined : await exec.current();
    const material: TlsMaterial = {};
    if (ca !== undefined) material.ca = await textOf("ca", ca);
    if (pair !== undefined) {
      material.cert = await textOf("cert", pair.cert);
      material.key = await textOf("key", pair.key);
    } else if (plugged?.certificate !== undefined) {
      material.cert = plugged.certificate.cert;
      material.key = plugged.certificate.key.reveal();
    }
    return material;
  }

  return async () => {
    try {
      const material = await read();
      const texts = JSON.stringify([material.ca, material.cert, material.key]);
      if (good?.texts !== texts) {
        await check(material, access);
        good = { texts, material };
      }
    } catch (error) {
      if (good === undefined) throw error;
    }
    return good.material;
  };
}

async function textOf(part: Part, source: PemSource): Promise<string> {
  if ("pem" in source) return source.pem.reveal();
  try {
    const text = await readFile(source.file, "utf8");
    if (text.includes("-----BEGIN ")) return text;
  } catch (error) {
    throw new ConnectionError("credentials", `${titles[part]} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  throw new ConnectionError("credentials", `${titles[part]} ${source.file} holds no PEM block`);
}

const titles: Readonly<Record<Part, string>> = {
  ca: "the certificate authority",
  cert: "the client certificate",
  key: "the client key",
};

/** Checks each part alone first, so that the message names the faulty one. */
async function check({ ca, cert, key }: TlsMaterial, { source }: AccessConfig): Promise<void> {
  const { createSecureContext } = await import("node:tls");
  const parts: readonly (readonly [string, TlsMaterial])[] = [
    [titles.ca, defined({ ca })],
    [titles.cert, defined({ cert })],
    [titles.key, defined({ key })],
    ["the client certificate and key together", cert === undefined || key === undefined ? {} : { cert, key }],
  ];
  for (const [title, material] of parts) {
    try {
      if (Object.keys(material).length > 0) createSecureContext(material);
    } catch (error) {
      throw new ConnectionError("credentials", `${source}: ${title}: ${messageOf(error)}`, { cause: error });
    }
  }
}
