/** Reads certificate requests (PKCS #10, RFC 2986): takes PEM, gives the subject, the names and the key that are asked for. */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { lookup } from "../members.js";
import { type DerValue, oidOf, derParts, readDer } from "./read-der.js";

export interface CertificateRequest {
  /** The subject's name in DER. */
  readonly subject: Buffer;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The value of the extension subjectAltName in DER, if it is asked for. */
  readonly altNames: Buffer | undefined;
  readonly dnsNames: readonly string[];
  /** The number of alternative names of the other kinds. */
  readonly emails: number;
  readonly addresses: number;
  readonly uris: number;
  readonly publicKey: KeyObject;
  /** Undefined if the request is signed with the key that it is for; otherwise the fault. */
  readonly fault: string | undefined;
}

const pem = /-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE REQUEST-----/;

/** Throws an Error if the text holds no request, or one that cannot be read. */
export function parseRequest(text: string): CertificateRequest {
  const [, body] = pem.exec(text) ?? [];
  if (body === undefined) throw new Error("PEM block type must be CERTIFICATE REQUEST");
  const [info, algorithm, signature] = sized(readDer(Buffer.from(body, "base64")), 3);
  const [, subject, key, attributes] = derParts(info as DerValue);
  if (subject === undefined || key === undefined) throw new Error("asn1: structure error: the request is incomplete");
  const names = attributesOf(subject);
  const publicKey = keyOf(key);
  const altNames = altNamesOf(attributes);
  const general = altNames === undefined ? [] : derParts(readDer(altNames));
  const count = (tag: number): number => general.filter((name) => name.tag === tag).length;
  const signed = { algorithm: algorithm as DerValue, signature: signature as DerValue };
  return {
    subject: subject.raw,
    commonName: names.findLast(([id]) => id === "2.5.4.3")?.[1] ?? "",
    organizations: names.filter(([id]) => id === "2.5.4.10").map(([, value]) => value),
    altNames,
    dnsNames: general.filter(({ tag }) => tag === 0x82).map(({ content }) => content.toString("latin1")),
    emails: count(0x81),
    addresses: count(0x87),
    uris: count(0x86),
    publicKey,
    fault: faultOf(info as DerValue, publicKey, signed),
  };
}

function sized(value: DerValue, count: number): readonly DerValue[] {
  const parts = derParts(value);
  if (parts.length !== count) throw new Error("asn1: structure error: the request is incomplete");
  return parts;
}

function keyOf({ raw }: DerValue): KeyObject {
  try {
    return createPublicKey({ key: raw, format: "der", type: "spki" });
  } catch (error) {
    throw new Error("x509: the public key cannot be read", { cause: error });
  }
}

/** The attributes of a name: pairs of an identifier and a text. */
function attributesOf(name: DerValue): readonly (readonly [string, string])[] {
  return derParts(name)
    .flatMap(derParts)
    .map((attribute) => {
      const [id, value] = derParts(attribute);
      if (id === undefined || value === undefined) throw new Error("asn1: structure error: an attribute is incomplete");
      return [oidOf(id), value.content.toString("utf8")] as const;
    });
}

const extensionRequest = "1.2.840.113549.1.9.14";
const subjectAltName = "2.5.29.17";

function altNamesOf(attributes: DerValue | undefined): Buffer | undefined {
  if (attributes === undefined) return undefined;
  for (const attribute of derParts(attributes)) {
    const [id, values] = derParts(attribute);
    if (id === undefined || values === undefined || oidOf(id) !== extensionRequest) continue;
    const extensions = derParts(values).flatMap(derParts);
    const found = extensions
      .map((extension) => derParts(extension))
      .find(([name]) => name && oidOf(name) === subjectAltName);
    const value = found?.at(-1);
    if (value !== undefined) return value.content;
  }
  return undefined;
}

/** Hashes by the identifiers of signature algorithms; null where the algorithm has its own. */
const hashes: Readonly<Record<string, string | null>> = lookup({
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.3.101.112": null,
});

const smallestRsaBits = 1_024;

function faultOf(
  info: DerValue,
  key: KeyObject,
  { algorithm, signature }: { readonly algorithm: DerValue; readonly signature: DerValue },
): string | undefined {
  const [id] = derParts(algorithm);
  const hash = id && hashes[oidOf(id)];
  if (hash === undefined) return "x509: cannot verify signature: algorithm unimplemented";
  const { modulusLength = smallestRsaBits } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < smallestRsaBits) {
    return `crypto/rsa: ${modulusLength}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  }
  try {
    // the first byte of a bit string counts its unused bits
    if (verify(hash, info.raw, key, signature.content.subarray(1))) return undefined;
  } catch {
    // a signature of another algorithm than the key's
  }
  return key.asymmetricKeyType === "rsa" ? "crypto/rsa: verification error" : "x509: ECDSA verification failure";
}
