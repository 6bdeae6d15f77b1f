import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Complaints,
  isCIdentifier,
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isDns1123SubdomainWithUnderscore,
  isEnvVarName,
  isHttpHeaderName,
  isLabelValue,
  isPathSegmentName,
  isPercent,
  isPortName,
  isPortNumber,
  isQualifiedName,
  isRelaxedEnvVarName,
  isWildcardDns1123Subdomain,
} from "./names.js";

type Rule = readonly [rule: (text: string) => Complaints, good: readonly string[], bad: readonly string[]];

const long = (length: number): string => "a".repeat(length);

const rules: Readonly<Record<string, Rule>> = {
  "DNS-1123 label": [
    isDns1123Label,
    ["a", "0", "a-1", long(63)],
    ["", "-a", "a-", "A", "a_b", "a.b", long(64), "é", "a\n"],
  ],
  "DNS-1123 subdomain": [
    isDns1123Subdomain,
    ["a", "a.b", "0.a-1", long(253)],
    ["", ".a", "a.", "a..b", "A", "a_b", long(254), "a.-b"],
  ],
  "DNS-1123 subdomain with underscore": [isDns1123SubdomainWithUnderscore, ["_a.b", "a_b"], ["", "__a", "a_", "A"]],
  "DNS-1035 label": [isDns1035Label, ["a", "a-1", long(63)], ["", "0a", "a.b", "A", long(64)]],
  "wildcard subdomain": [isWildcardDns1123Subdomain, ["*.a", "*.a.b"], ["", "a", "*", "*.", "*.*.a", "a.*.b"]],
  "qualified name": [
    isQualifiedName,
    ["a", "A_b.c-1", "example.com/a", `${long(253)}/${long(63)}`],
    ["", "/", "a/", "/a", "a/b/c", "-a", "a-", "Ex.com/a", long(64), `${long(254)}/a`, "a b"],
  ],
  "label value": [isLabelValue, ["", "a", "A_b.c-1", long(63)], ["-", "a-", "a b", "a/b", long(64), "é"]],
  "port name": [isPortName, ["http", "a", "8080-a", "a-b"], ["", "1", "a--b", "-a", "a-", "A", "a_b", long(16)]],
  "environment variable": [isEnvVarName, ["A", "_a.b-c1"], ["", "1a", "a=b", "..", "..a", "."]],
  "relaxed environment variable": [isRelaxedEnvVarName, ["1a", "a b!~", ".."], ["", "a=b", "é", "a\tb"]],
  "config map key": [isConfigMapKey, ["a", "A_b.c-1", ".a"], ["", ".", "..", "..a", "a b", long(254)]],
  "C identifier": [isCIdentifier, ["a", "_A1"], ["", "1a", "a-b"]],
  percentage: [isPercent, ["1%", "100%"], ["", "1", "%", "-1%", "1.5%"]],
  "HTTP header": [isHttpHeaderName, ["X-A", "1"], ["", "a_b", "a b"]],
  "path segment": [isPathSegmentName, ["a", "system:a", ""], [".", "..", "a/b", "a%b"]],
};

for (const [name, [rule, good, bad]] of Object.entries(rules)) {
  test(`${name}: what is good and what is not`, () => {
    expect(good.filter((text) => rule(text).length > 0)).toEqual([]);
    expect(bad.filter((text) => rule(text).length === 0)).toEqual([]);
  });
}

describe("the words of the server", () => {
  test("a label with dots is told so", () => {
    expect(isDns1123Label("a.b")).toEqual(["must not contain dots"]);
  });

  test("a subdomain is given the rule, an example and the expression", () => {
    expect(isDns1123Subdomain("A")).toEqual([
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ]);
  });

  test("several examples are joined in the odd way of the field", () => {
    expect(isDns1123Label("A")[0]).toContain("(e.g. 'my-name',  or '123-abc', regex used for validation is '");
  });

  test("label keys count bytes and name the part", () => {
    expect(isQualifiedName("")).toEqual([
      "name part must be non-empty",
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ]);
    expect(isQualifiedName(`/${long(64)}`)).toEqual([
      "prefix part must be non-empty",
      "name part must be no more than 63 bytes",
    ]);
  });

  test("numbers are given their range", () => {
    expect([isPortNumber(0), isPortNumber(65_535)]).toEqual([["must be between 1 and 65535, inclusive"], []]);
  });
});

test("no text makes a rule throw or take long", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."a0-._/*%=é ".split("")), maxLength: 5_000 }), (text) => {
      for (const [rule] of Object.values(rules)) expect(Array.isArray(rule(text))).toBe(true);
    }),
    { numRuns: 200 },
  );
});
