import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createAuthority } from "./certificate.js";
import { jwsSigner, jwsVerifier } from "./jws.js";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const curve = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });

describe("signed claims", () => {
  test.each([
    ["RS256", rsa],
    ["ES256", curve("P-256")],
    ["ES384", curve("P-384")],
    ["ES512", curve("P-521")],
  ] as const)("of %s are read with the public key, and with no other", (algorithm, { privateKey, publicKey }) => {
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const token = jwsSigner(pem)({ sub: "a" });
    const verifier = jwsVerifier(publicKey.export({ type: "spki", format: "pem" }).toString());
    expect([verifier.algorithm, verifier.claims(token)]).toEqual([algorithm, { sub: "a" }]);
    const head = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
    expect(head).toEqual({ alg: algorithm, kid: verifier.id });
    const other = curve("P-256").publicKey.export({ type: "spki", format: "pem" }).toString();
    expect(jwsVerifier(other).claims(token)).toBeUndefined();
    const [head64, , signature] = token.split(".");
    const changed = Buffer.from(JSON.stringify({ sub: "b" })).toString("base64url");
    expect(verifier.claims([head64, changed, signature].join("."))).toBeUndefined();
    expect(verifier.claims("a.b")).toBeUndefined();
  });

  test("are read with the certificate of the key too", () => {
    const { key, certificate } = createAuthority({ commonName: "ca", now: 0 });
    expect(jwsVerifier(certificate).claims(jwsSigner(key)({ sub: "a" }))).toEqual({ sub: "a" });
  });

  test("are not made with a key of another sort", () => {
    const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    expect(() => jwsSigner(pem)).toThrow("RSA or of the curve");
  });
});
