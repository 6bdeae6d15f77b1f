/** The rules of the built-in signers, and the age at which a signing request is deleted. Pure; problems in upstream's words. */
import { X509Certificate } from "node:crypto";
import { type CertificateSigningRequest, isConditionTrue, parseTime } from "../../api/index.js";
import type { CertificateRequest } from "../../base/x509/request.js";

export const signers = {
  client: "kubernetes.io/kube-apiserver-client",
  kubeletClient: "kubernetes.io/kube-apiserver-client-kubelet",
  kubeletServing: "kubernetes.io/kubelet-serving",
  legacy: "kubernetes.io/legacy-unknown",
} as const;

const isTrue = ({ status }: CertificateSigningRequest, type: string): boolean =>
  isConditionTrue(status?.conditions, type);

export const isDecided = (request: CertificateSigningRequest): boolean =>
  request.status?.conditions?.some(({ type }) => type === "Approved" || type === "Denied") ?? false;

/** Whether a signer has to answer: approved, not denied, not failed, and without a certificate. */
export const awaitsSignature = (request: CertificateSigningRequest): boolean =>
  isTrue(request, "Approved") &&
  !isTrue(request, "Denied") &&
  !isTrue(request, "Failed") &&
  !request.status?.certificate;

type Rule = (asked: CertificateRequest, usages: readonly string[]) => string | undefined;

const isNodes = ({ organizations }: CertificateRequest): boolean =>
  organizations.length === 1 && organizations[0] === "system:nodes";
const isNode = ({ commonName }: CertificateRequest): boolean => commonName.startsWith("system:node:");

const notNodes = "subject organization is not system:nodes";
const notNode = "subject common name does not begin with system:node:";
const noEmails = "Email subjectAltNames are not allowed";
const noUris = "URI subjectAltNames are not allowed";

function usagesProblem(usages: readonly string[], last: string): string | undefined {
  const wanted = ["digital signature", "key encipherment", last].sort();
  const given = [...new Set(usages)].sort();
  const isEqual = (to: readonly string[]): boolean => given.join() === to.join();
  if (isEqual(wanted) || isEqual(wanted.filter((usage) => usage !== "key encipherment"))) return undefined;
  return `usages did not match [${wanted.join(" ")}]`;
}

const kubeletServing: Rule = (asked, usages) => {
  if (!isNodes(asked)) return notNodes;
  if (asked.dnsNames.length === 0 && asked.addresses === 0) return "DNS or IP subjectAltName is required";
  if (asked.emails > 0) return noEmails;
  if (asked.uris > 0) return noUris;
  return usagesProblem(usages, "server auth") ?? (isNode(asked) ? undefined : notNode);
};

const kubeletClient: Rule = (asked, usages) => {
  if (!isNodes(asked)) return notNodes;
  if (asked.dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (asked.emails > 0) return noEmails;
  if (asked.addresses > 0) return "IP subjectAltNames are not allowed";
  if (asked.uris > 0) return noUris;
  return isNode(asked) ? usagesProblem(usages, "client auth") : notNode;
};

const client: Rule = (_asked, usages) => {
  const known = ["digital signature", "key encipherment", "client auth"];
  const other = usages.find((usage) => !known.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
};

/** By the name of the signer. */
export const signerRules: ReadonlyMap<string, Rule> = new Map([
  [signers.client, client],
  [signers.kubeletClient, kubeletClient],
  [signers.kubeletServing, kubeletServing],
  [signers.legacy, () => undefined],
]);

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** Backdates certificates for clocks that are behind. */
export const backdateMs: number = 5 * minuteMs;
const longestMs = 365 * 24 * hourMs;
const shortestMs = 10 * minuteMs;
/** Shorter lives are not shortened by the time that certificates are backdated. */
const shortMs = 8 * hourMs;

/** The end of a certificate that is made now; a request may ask for a shorter life than a year. */
export function endOfLife(expirationSeconds: number | undefined, now: number): number {
  const asked = expirationSeconds === undefined ? longestMs : expirationSeconds * 1_000;
  const life = Math.min(longestMs, Math.max(shortestMs, asked));
  return now + (life < shortMs ? life : life - backdateMs);
}

/** Whether the request is of no use any more: decided an hour ago, waiting for a day, or its certificate has expired. */
export function isStale({ metadata, status }: CertificateSigningRequest, now: number): boolean {
  const { conditions = [], certificate } = status ?? {};
  const isOlder = (time: string | undefined, ms: number): boolean => time !== undefined && now - parseTime(time) > ms;
  if (conditions.length === 0) return isOlder(metadata.creationTimestamp, 24 * hourMs);
  return conditions.some(({ type, lastUpdateTime }) => {
    if (type === "Denied" || type === "Failed") return isOlder(lastUpdateTime, hourMs);
    if (type !== "Approved") return false;
    if (!certificate) return isOlder(lastUpdateTime, 24 * hourMs);
    return isOlder(lastUpdateTime, hourMs) || hasExpired(certificate, now);
  });
}

function hasExpired(certificate: string, now: number): boolean {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, "base64")).validTo) < now;
  } catch {
    return false;
  }
}
