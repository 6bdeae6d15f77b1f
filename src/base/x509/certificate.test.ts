import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createAuthority } from "./certificate.js";

const now = Date.parse("2026-06-01T00:00:00Z");

test("a serving certificate is signed by its authority, and good for its names and addresses", () => {
  const authority = createAuthority({ commonName: "test-ca", now });
  const hosts = ["localhost", "kubernetes.default.svc", "127.0.0.1", "::1", "fd00::1:2"];
  const issued = new X509Certificate(authority.issue({ commonName: "server", use: "server", hosts }).certificate);
  const root = new X509Certificate(authority.certificate);
  expect([issued.verify(root.publicKey), issued.checkIssued(root), root.ca, issued.ca]).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect([
    issued.checkHost("localhost"),
    issued.checkIP("127.0.0.1"),
    issued.checkIP("::1"),
    issued.checkIP("fd00::1:2"),
  ]).toEqual(["localhost", "127.0.0.1", "::1", "fd00::1:2"]);
  expect(issued.checkHost("example.com")).toBeUndefined();
  expect([issued.validFrom, issued.validTo]).toEqual(["May 31 23:00:00 2026 GMT", "Jun  1 00:00:00 2027 GMT"]);
});

test("a client certificate carries user and groups", () => {
  const authority = createAuthority({ commonName: "test-ca", now });
  const request = { commonName: "admin", organizations: ["system:masters", "ops"], use: "client" } as const;
  const { subject } = new X509Certificate(authority.issue(request).certificate);
  expect(subject).toBe("O=system:masters\nO=ops\nCN=admin");
});

test("a key says of what kind it is, for clients that take every other for RSA", () => {
  const { key } = createAuthority({ commonName: "test-ca", now }).issue({ commonName: "ann", use: "client" });
  expect(key).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
});
