/** The rules of the built-in signers, lives of certificates, and ages of requests. */
import { describe, expect, test } from "vitest";
import { newCertificateRequest, type RequestShape } from "../../../test/fixtures/certificate-request.js";
import { type CertificateSigningRequest, formatTime } from "../../api/index.js";
import { parseRequest } from "../../base/x509/request.js";
import { endOfLife, isStale, signerRules, signers } from "./rules.js";

const node: RequestShape = { commonName: "system:node:a", organizations: ["system:nodes"] };
const clientUsages = ["digital signature", "client auth"];
const serverUsages = ["digital signature", "key encipherment", "server auth"];

describe("signers", () => {
  test.each([
    [signers.client, { commonName: "jane" }, clientUsages, undefined],
    [signers.client, { commonName: "jane" }, serverUsages, "invalid usage for client certificate: server auth"],
    [signers.client, node, ["digital signature"], "missing required usage for client certificate: client auth"],
    [signers.kubeletClient, node, clientUsages, undefined],
    [signers.kubeletClient, { commonName: "system:node:a" }, clientUsages, "subject organization is not system:nodes"],
    [
      signers.kubeletClient,
      { ...node, organizations: ["system:nodes", "system:masters"] },
      clientUsages,
      "subject organization is not system:nodes",
    ],
    [
      signers.kubeletClient,
      { ...node, commonName: "jane" },
      clientUsages,
      "subject common name does not begin with system:node:",
    ],
    [signers.kubeletClient, { ...node, dnsNames: ["a"] }, clientUsages, "DNS subjectAltNames are not allowed"],
    [signers.kubeletClient, { ...node, addresses: ["10.0.0.1"] }, clientUsages, "IP subjectAltNames are not allowed"],
    [
      signers.kubeletClient,
      node,
      serverUsages,
      "usages did not match [client auth digital signature key encipherment]",
    ],
    [signers.kubeletServing, { ...node, dnsNames: ["a"] }, serverUsages, undefined],
    [signers.kubeletServing, node, serverUsages, "DNS or IP subjectAltName is required"],
    [
      signers.kubeletServing,
      { ...node, dnsNames: ["a"], emails: ["a@b"] },
      serverUsages,
      "Email subjectAltNames are not allowed",
    ],
    [signers.legacy, { commonName: "anything" }, ["any"], undefined],
  ] as const)("%s says of %j for %j: %s", (signer, shape, usages, problem) => {
    expect(signerRules.get(signer)?.(parseRequest(newCertificateRequest(shape).pem), usages)).toBe(problem);
  });

  test("give a certificate a year, or the shorter life that is asked for, of ten minutes at least", () => {
    const minutes = (seconds: number | undefined): number => endOfLife(seconds, 0) / 60_000;
    expect([undefined, 10 ** 9, 60, 3_600, 86_400].map(minutes)).toEqual([
      365 * 1_440 - 5,
      365 * 1_440 - 5,
      10,
      60,
      1_435,
    ]);
  });
});

describe("a signing request is deleted", () => {
  const hour = 3_600_000;
  const now = 100 * hour;
  const ago = (hours: number): string => formatTime(now - hours * hour);
  const requestOf = (status: CertificateSigningRequest["status"], created = 0): CertificateSigningRequest =>
    ({ metadata: { name: "a", creationTimestamp: ago(created) }, status }) as CertificateSigningRequest;
  const decided = (type: string, hours: number) => ({ type, status: "True", lastUpdateTime: ago(hours) }) as const;

  test.each([
    [requestOf({}, 25), true],
    [requestOf({}, 23), false],
    [requestOf({ conditions: [decided("Denied", 1.1)] }), true],
    [requestOf({ conditions: [decided("Failed", 0.9)] }), false],
    [requestOf({ conditions: [decided("Approved", 23)] }), false],
    [requestOf({ conditions: [decided("Approved", 25)] }), true],
    [requestOf({ certificate: "bm9uZQ==", conditions: [decided("Approved", 0.9)] }), false],
    [requestOf({ certificate: "bm9uZQ==", conditions: [decided("Approved", 1.1)] }), true],
  ])("%#: after its time", (request, stale) => {
    expect(isStale(request, now)).toBe(stale);
  });
});
