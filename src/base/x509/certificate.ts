/** A certificate authority and the certificates that it signs: elliptic curve keys, PEM text (X.509, RFC 5280). */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { isIP } from "node:net";
import { certify, extension, keyIdOf } from "./certify.js";
import { bits, boolean, implicit, octets, oid, sequence, set, utf8 } from "./der.js";
import { addressBytes } from "../net/ranges.js";

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates in a text, each in PEM. */
export const pemCertificates = (pem: string): readonly string[] => pem.match(pemBlock) ?? [];

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

const nameIds = { commonName: "2.5.4.3", organization: "2.5.4.10" } as const;
const usageIds = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const;

const yearMs = 365 * 24 * 3_600_000;
/** Backdates certificates, so that a clock slightly behind this one accepts them. */
export const slackMs = 3_600_000;

const lifeFrom = (now: number, lifeMs: number): { readonly notBefore: number; readonly notAfter: number } => ({
  notBefore: now - slackMs,
  notAfter: now + lifeMs,
});

interface AuthorityOptions {
  readonly commonName: string;
  readonly now: number;
  /** Default: ten years. */
  readonly lifeMs?: number;
  /** The key of an earlier authority of this name, and its certificate if there is one. */
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
    extension("basicConstraints", sequence(boolean(true)), true),
    // digitalSignature, keyCertSign
    extension("keyUsage", bits(Buffer.from([0b1000_0100]), 2), true),
    extension("subjectKeyId", octets(keyIdOf(authority))),
  ];
  return {
    key: existing?.key ?? pemOf(signer),
    certificate:
      existing?.certificate ??
      certify({ subject: name, issuer: name, publicKey: authority, signer, ...lifeFrom(now, lifeMs), extensions }),
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
  const extensions = [
    extension("basicConstraints", sequence(), true),
    // digitalSignature
    extension("keyUsage", bits(Buffer.from([0b1000_0000]), 7), true),
    extension("extKeyUsage", sequence(oid(usageIds[request.use]))),
    extension("authorityKeyId", sequence(implicit(0, keyIdOf(authority)))),
    ...(request.hosts === undefined ? [] : [extension("subjectAltName", sequence(...request.hosts.map(generalName)))]),
  ];
  const subject = distinguishedName(request.commonName, request.organizations ?? []);
  const life = lifeFrom(request.now ?? now, request.lifeMs ?? yearMs);
  const certificate = certify({ subject, issuer, publicKey, signer, ...life, extensions });
  return { key: pemOf(privateKey), certificate };
}

function newKeys(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

/** `EC PRIVATE KEY`, because some clients take a plain `PRIVATE KEY` for RSA. */
const pemOf = (key: KeyObject): string => key.export({ type: "sec1", format: "pem" }).toString();

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (id: string, text: string): Buffer => set(sequence(oid(id), utf8(text)));
  return sequence(
    ...organizations.map((organization) => attribute(nameIds.organization, organization)),
    attribute(nameIds.commonName, commonName),
  );
}

function generalName(host: string): Buffer {
  const version = isIP(host);
  if (version === 0) return implicit(2, Buffer.from(host, "ascii"));
  return implicit(7, addressBytes(host));
}
