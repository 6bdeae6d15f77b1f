/** Makes one certificate (X.509, RFC 5280): takes its parts in DER and the authority's private key, gives PEM. */
import { createHash, type KeyObject, randomBytes, sign } from "node:crypto";
import { bits, boolean, explicit, integer, octets, oid, sequence, time } from "./der.js";

/** The identifiers of extensions (RFC 5280, section 4.2.1). */
export const extensionIds = {
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extKeyUsage: "2.5.29.37",
} as const;

interface CertificateParts {
  /** Names in DER. */
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly publicKey: KeyObject;
  /** The authority's private key. */
  readonly signer: KeyObject;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Buffer[];
}

export function certify({
  subject,
  issuer,
  publicKey,
  signer,
  notBefore,
  notAfter,
  extensions,
}: CertificateParts): string {
  const { algorithm, hash } = algorithmOf(signer);
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    issuer,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...extensions)),
  );
  const certificate = sequence(body, algorithm, bits(sign(hash, body, signer)));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

export function extension(id: keyof typeof extensionIds, value: Buffer, critical = false): Buffer {
  return sequence(oid(extensionIds[id]), ...(critical ? [boolean(true)] : []), octets(value));
}

/** The identifier of a key whose certificate gives it none: its hash. */
export function keyIdOf(key: KeyObject): Buffer {
  const der = key.export({ type: "spki", format: "der" });
  return createHash("sha1").update(der).digest();
}

function algorithmOf(key: KeyObject): { readonly algorithm: Buffer; readonly hash: string | null } {
  const nothing = Buffer.from([0x05, 0x00]);
  switch (key.asymmetricKeyType) {
    case "rsa":
      return { algorithm: sequence(oid("1.2.840.113549.1.1.11"), nothing), hash: "sha256" };
    case "ed25519":
      return { algorithm: sequence(oid("1.3.101.112")), hash: null };
    case "ec": {
      const curve = key.asymmetricKeyDetails?.namedCurve;
      if (curve === "secp384r1") return { algorithm: sequence(oid("1.2.840.10045.4.3.3")), hash: "sha384" };
      if (curve === "secp521r1") return { algorithm: sequence(oid("1.2.840.10045.4.3.4")), hash: "sha512" };
      return { algorithm: sequence(oid("1.2.840.10045.4.3.2")), hash: "sha256" };
    }
    default:
      throw new Error(`a signing key is of RSA, ECDSA or Ed25519, not ${String(key.asymmetricKeyType)}`);
  }
}
