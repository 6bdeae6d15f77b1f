/**
 * The life of a program's certificates: takes the present ones and the time, gives the ones to use from now on. Pure but
 * for new keys.
 *
 * A new authority is published first, and signs only when every server has had the time to hear of it; the old one stays
 * published until no replica serves a certificate of it. So at every moment each served certificate is trusted by each
 * published bundle.
 */
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { createAuthority, slackMs } from "../../base/x509/certificate.js";
import type { KeyPair } from "../server.js";

const dayMs = 24 * 3_600_000;

export interface Lives {
  readonly authorityMs: number;
  readonly certificateMs: number;
  /** The time in which a published authority reaches every server, and a new certificate every replica. */
  readonly spreadMs: number;
}

/** An authority outlives the certificates that it signs, because it is replaced after two thirds of its life. */
export const defaultLives: Lives = { authorityMs: 365 * dayMs, certificateMs: 90 * dayMs, spreadMs: dayMs };

/** The oldest authority comes first. */
export interface Certificates {
  readonly authorities: readonly KeyPair[];
  readonly serving: KeyPair;
}

/** The text for `caBundle`. */
export const bundleOf = ({ authorities }: Certificates): string =>
  authorities.map(({ certificate }) => certificate).join("");

export interface Plan {
  readonly hosts: readonly string[];
  readonly now: number;
  readonly lives: Lives;
}

/** The same object if nothing is due. */
export function planned(present: Certificates | undefined, { hosts, now, lives }: Plan): Certificates {
  const authorities = authoritiesAt(present?.authorities ?? [], now, lives);
  const trusted = authorities.filter((one) => now - bornAt(one) >= lives.spreadMs);
  // a program that begins has published nothing yet, so the only authority may sign at once
  const signer = (trusted.at(-1) ?? authorities[0]) as KeyPair;
  const keep = present !== undefined && isGood(present.serving, signer, { hosts, now, lives });
  const serving = keep ? present.serving : issued(signer, { hosts, now, lives });
  const settled = now - bornAt(serving) >= lives.spreadMs;
  const kept = settled ? authorities.slice(authorities.indexOf(signer)) : authorities;
  if (keep && present.authorities.length === kept.length && present.authorities.every((one, i) => one === kept[i]))
    return present;
  return { authorities: kept, serving };
}

/** The authorities that are still valid, with a new one if the newest is old. */
function authoritiesAt(present: readonly KeyPair[], now: number, { authorityMs }: Lives): readonly KeyPair[] {
  const valid = present.filter((one) => endsAt(one) > now);
  const newest = valid.at(-1);
  if (newest !== undefined && now - bornAt(newest) < (authorityMs * 2) / 3) return valid;
  return [...valid, createAuthority({ commonName: "coxswain-webhooks", now, lifeMs: authorityMs })].map(
    ({ key, certificate }) => ({ key, certificate }),
  );
}

function issued({ key, certificate }: KeyPair, { hosts, now, lives }: Plan): KeyPair {
  const authority = createAuthority({ commonName: "coxswain-webhooks", now, existing: { key, certificate } });
  const [commonName = "webhooks"] = hosts;
  return authority.issue({
    commonName: commonName.slice(0, 63),
    use: "server",
    hosts,
    now,
    lifeMs: lives.certificateMs,
  });
}

function isGood(serving: KeyPair, signer: KeyPair, { hosts, now, lives }: Plan): boolean {
  const certificate = new X509Certificate(serving.certificate);
  const age = now - bornAt(serving);
  return (
    age < (lives.certificateMs * 2) / 3 &&
    endsAt(serving) > now &&
    certificate.verify(new X509Certificate(signer.certificate).publicKey) &&
    hosts.every((host) => (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined)
  );
}

const bornAt = ({ certificate }: KeyPair): number => Date.parse(new X509Certificate(certificate).validFrom) + slackMs;
const endsAt = ({ certificate }: KeyPair): number => Date.parse(new X509Certificate(certificate).validTo);
