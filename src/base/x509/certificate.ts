/** A certificate authority and the certificates that it signs: elliptic curve keys, PEM text (X.509, RFC 5280). */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { isIP } from "node:net";
import { bits, boolean, explicit, implicit, integer, octets, oid, sequence, set, time, utf8 } from "./der.js";

export interface KeyAndCertificate {
  /** PEM, SEC 1. */
  readonly key: string;
  /** PEM. */
  readonly certificate: string;
}

export interface CertificateAuthority extends KeyAndCertificate {
  issue(request: CertificateRequest): KeyAndCertificate;
}

interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly use: "server" | "client";
  /** DNS names and IP addresses of a server. */
  readonly hosts?: readonly string[];
  /** When the certificate's year begins; with the authority if absent. */
  readonly now?: number;
  /** Default: a year. */
  readonly lifeMs?: number;
}

const oids = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
} as const;

const yearMs = 365 * 24 * 3_600_000;
/** Backdates certificates, so that a clock slightly behind this one accepts them. */
export const slackMs = 3_600_000;

interface Body {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly now: number;
  readonly lifeMs: number;
  readonly extensions: readonly Buffer[];
}

interface AuthorityOptions {
  readonly commonName: string;
  readonly now: number;
  /** The key of an earlier authority of this name, and its certificate if there is one. */
  /** Default: ten years. */
  readonly lifeMs?: number;
  readonly existing?: { readonly key: string; readonly certificate?: string };
}

export function createAuthority({
  commonName,
  now,
  lifeMs = 10 * yearMs,
  existing,
}: AuthorityOptions): CertificateAuthority {
  const name = distinguishedName(commonName, []);
  const signer = existing === undefined ? newKeys().privateKey : createPrivateKey(existing.key);
  const authority = createPublicKey(signer);
  const extensions = [
    extension(oids.basicConstraints, sequence(boolean(true)), true),
    // digitalSignature, keyCertSign
    extension(oids.keyUsage, bits(Buffer.from([0b1000_0100]), 2), true),
    extension(oids.subjectKeyId, octets(keyId(authority))),
  ];
  return {
    key: existing?.key ?? pemOf(signer),
    certificate:
      existing?.certificate ??
      certify({ subject: name, issuer: name, publicKey: authority, signer, now, lifeMs, extensions }),
    issue: (request) => issue(request, { issuer: name, signer, authority, now }),
  };
}

/** A new private key in PEM. */
export function newPrivateKey(): string {
  return pemOf(newKeys().privateKey);
}

interface Issuer {
  readonly issuer: Buffer;
  readonly signer: KeyObject;
  readonly authority: KeyObject;
  readonly now: number;
}

function issue(request: CertificateRequest, { issuer, signer, authority, now }: Issuer): KeyAndCertificate {
  const { privateKey, publicKey } = newKeys();
  const use = request.use === "server" ? oids.serverAuth : oids.clientAuth;
  const extensions = [
    extension(oids.basicConstraints, sequence(), true),
    // digitalSignature
    extension(oids.keyUsage, bits(Buffer.from([0b1000_0000]), 7), true),
    extension(oids.extKeyUsage, sequence(oid(use))),
    extension(oids.authorityKeyId, sequence(implicit(0, keyId(authority)))),
    ...(request.hosts === undefined
      ? []
      : [extension(oids.subjectAltName, sequence(...request.hosts.map(generalName)))]),
  ];
  const subject = distinguishedName(request.commonName, request.organizations ?? []);
  const { lifeMs = yearMs } = request;
  const certificate = certify({ subject, issuer, publicKey, signer, now: request.now ?? now, lifeMs, extensions });
  return { key: pemOf(privateKey), certificate };
}

function newKeys(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

/** `EC PRIVATE KEY`, because some clients take a plain `PRIVATE KEY` for RSA. */
const pemOf = (key: KeyObject): string => key.export({ type: "sec1", format: "pem" }).toString();

const keyId = (key: KeyObject): Buffer =>
  createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();

function certify({ subject, issuer, publicKey, signer, now, lifeMs, extensions }: Body): string {
  const algorithm = sequence(oid(oids.ecdsaWithSha256));
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    issuer,
    sequence(time(now - slackMs), time(now + lifeMs)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...extensions)),
  );
  const certificate = sequence(body, algorithm, bits(sign("sha256", body, signer)));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));
}

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (id: string, text: string): Buffer => set(sequence(oid(id), utf8(text)));
  return sequence(
    ...organizations.map((organization) => attribute(oids.organization, organization)),
    attribute(oids.commonName, commonName),
  );
}

function generalName(host: string): Buffer {
  const version = isIP(host);
  if (version === 0) return implicit(2, Buffer.from(host, "ascii"));
  return implicit(7, version === 4 ? Buffer.from(host.split(".").map(Number)) : ipv6Bytes(host));
}

function ipv6Bytes(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const words = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((word) => Number.parseInt(word, 16));
  const left = words(head);
  const right = tail === undefined ? [] : words(tail);
  const all =
    tail === undefined ? left : [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}
