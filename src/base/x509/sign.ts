/** An authority that signs the certificates of others: takes its PEM, and subjects, keys and usages; gives PEM. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { lookup } from "../members.js";
import { certify, extension, extensionIds, keyIdOf } from "./certify.js";
import { bits, implicit, oid, sequence } from "./der.js";
import { type DerValue, oidOf, derParts, readDer } from "./read-der.js";

/** The usages of a key that are bits, from the first bit on (RFC 5280, section 4.2.1.3). */
const keyBits = [
  "digital signature",
  "content commitment",
  "key encipherment",
  "data encipherment",
  "key agreement",
  "cert sign",
  "crl sign",
  "encipher only",
  "decipher only",
] as const;

/** The usages that are identifiers, in the order in which certificates have them. */
const extendedUsages: Readonly<Record<string, string>> = lookup({
  any: "2.5.29.37.0",
  "server auth": "1.3.6.1.5.5.7.3.1",
  "client auth": "1.3.6.1.5.5.7.3.2",
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
});

interface Certified {
  /** The subject's name in DER. */
  readonly subject: Buffer;
  /** The value of subjectAltName in DER. */
  readonly altNames: Buffer | undefined;
  readonly publicKey: KeyObject;
  /** Usages by the names of Kubernetes' API; `signing` is `digital signature`. */
  readonly usages: readonly string[];
  readonly notBefore: number;
  /** Not after the authority's own end. */
  readonly notAfter: number;
}

export interface Signer {
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
  sign(certified: Certified): string;
}

/** A signer from the PEM of an authority's certificate and key. Throws if they cannot be read or do not match. */
export function signerOf(given: { readonly certificate: string; readonly key: string }): Signer {
  const authority = new X509Certificate(given.certificate);
  const key = createPrivateKey(given.key);
  if (!authority.checkPrivateKey(key)) throw new Error("the key is not that of the signing certificate");
  const issuer = subjectOf(authority);
  const notAfter = Date.parse(authority.validTo);
  return {
    notAfter,
    sign: (certified) =>
      certify({
        ...certified,
        issuer,
        signer: key,
        notAfter: Math.min(certified.notAfter, notAfter),
        extensions: extensionsOf(certified, authority),
      }),
  };
}

function extensionsOf({ usages, altNames }: Certified, authority: X509Certificate): readonly Buffer[] {
  const named = usages.map((usage) => (usage === "signing" ? "digital signature" : usage));
  const extended = [...new Set(named.flatMap((usage) => extendedUsages[usage] ?? []))];
  const inOrder = Object.values(extendedUsages).filter((id, index, all) => all.indexOf(id) === index);
  const keyUsage = keyUsageOf(named);
  return [
    ...(keyUsage === undefined ? [] : [extension("keyUsage", keyUsage, true)]),
    ...(extended.length === 0
      ? []
      : [extension("extKeyUsage", sequence(...inOrder.filter((id) => extended.includes(id)).map(oid)))]),
    extension("basicConstraints", sequence(), true),
    extension("authorityKeyId", sequence(implicit(0, authorityKeyId(authority)))),
    ...(altNames === undefined ? [] : [extension("subjectAltName", altNames)]),
  ];
}

function keyUsageOf(usages: readonly string[]): Buffer | undefined {
  const set = keyBits.map((usage) => usages.includes(usage));
  const last = set.lastIndexOf(true);
  if (last === -1) return undefined;
  const bytes = Buffer.alloc(Math.floor(last / 8) + 1);
  for (const [bit, on] of set.entries()) if (on) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bits(bytes, 7 - (last & 7));
}

/** The fields of a certificate between its version and its extensions. */
function bodyOf(certificate: X509Certificate): readonly DerValue[] {
  const [body] = derParts(readDer(certificate.raw));
  return body === undefined ? [] : derParts(body);
}

const subjectOf = (certificate: X509Certificate): Buffer => {
  const fields = bodyOf(certificate);
  // the version is optional
  const subject = fields[fields[0]?.tag === 0xa0 ? 5 : 4];
  if (subject === undefined) throw new Error("the signing certificate has no subject");
  return subject.raw;
};

/** The authority's subjectKeyIdentifier, or the hash of its key if it has none. */
function authorityKeyId(authority: X509Certificate): Buffer {
  const extensions = bodyOf(authority).find(({ tag }) => tag === 0xa3);
  for (const one of extensions === undefined ? [] : derParts(extensions).flatMap(derParts)) {
    const parts = derParts(one);
    const [id] = parts;
    const value = parts.at(-1);
    if (id !== undefined && value !== undefined && oidOf(id) === extensionIds.subjectKeyId)
      return readDer(value.content).content;
  }
  return keyIdOf(authority.publicKey);
}
