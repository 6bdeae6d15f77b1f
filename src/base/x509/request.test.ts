/** Certificate requests: their contents, and texts that are none. */
import { describe, expect, test } from "vitest";
import { newCertificateRequest } from "../../../test/fixtures/certificate-request.js";
import { parseRequest } from "./request.js";

describe("a certificate request", () => {
  test("tells its subject, names and key", () => {
    const { pem } = newCertificateRequest({
      commonName: "system:node:a",
      organizations: ["system:nodes", "ops"],
      dnsNames: ["a.example.com"],
      addresses: ["10.0.0.1"],
      emails: ["a@example.com"],
    });
    expect(parseRequest(pem)).toMatchObject({
      commonName: "system:node:a",
      organizations: ["system:nodes", "ops"],
      dnsNames: ["a.example.com"],
      addresses: 1,
      emails: 1,
      uris: 0,
      fault: undefined,
    });
  });

  test.each([
    [{ forged: true }, "x509: ECDSA verification failure"],
    [{ forged: true, key: "rsa" as const }, "crypto/rsa: verification error"],
    [{ key: "weak" as const }, /^crypto\/rsa: 512-bit keys are insecure/],
    [{ key: "rsa" as const }, undefined],
  ])("%j has its fault told", (shape, fault) => {
    const { fault: found } = parseRequest(newCertificateRequest({ commonName: "a", ...shape }).pem);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });

  test.each(["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])("is not %j", (text) => {
    expect(() => parseRequest(text)).toThrow("PEM block type must be CERTIFICATE REQUEST");
  });

  test("that is cut off or changed anywhere is refused or read, and nothing else happens", () => {
    const { pem } = newCertificateRequest({ commonName: "a", dnsNames: ["b"] });
    const der = Buffer.from(pem.replaceAll(/-----.*-----/g, ""), "base64");
    const asPem = (bytes: Buffer): string =>
      `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
    for (let at = 0; at < der.length; at++) {
      expect(() => parseRequest(asPem(der.subarray(0, at)))).toThrow(/asn1|x509/);
      const changed = Buffer.from(der);
      changed[at] = 0xff - (changed[at] ?? 0);
      try {
        expect(typeof parseRequest(asPem(changed)).commonName).toBe("string");
      } catch (error) {
        expect(String(error)).toMatch(/asn1|x509/);
      }
    }
  });
});
