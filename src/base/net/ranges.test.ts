import { describe, expect, test } from "vitest";
import { addressText, doOverlap, isPartOf, isWithin, readAddress, parseRange } from "./ranges.js";

const range = (text: string) => {
  const found = parseRange(text);
  if (found === undefined) throw new Error(`${text} is no range`);
  return found;
};
const address = (text: string) => {
  const found = readAddress(text);
  if (found === undefined) throw new Error(`${text} is no address`);
  return found;
};

describe("addresses", () => {
  test.each(["0.0.0.0", "10.96.0.1", "255.255.255.255", "::", "::1", "fd00::1:0:0:a", "2001:db8::"])("%s", (text) =>
    expect(addressText(address(text))).toBe(text),
  );

  test.each(["", "10.0.0", "10.0.0.256", "fe80::1%eth0", "g::"])("%s is none", (text) =>
    expect(readAddress(text)).toBe(undefined),
  );
});

describe("ranges", () => {
  test("have a first and a last address", () => {
    const { first, last, family } = range("fd00::/108");
    expect(addressText({ family, value: first })).toBe("fd00::");
    expect(addressText({ family, value: last })).toBe("fd00::f:ffff");
    expect(range("10.0.0.7/24")).toEqual(range("10.0.0.0/24"));
    expect(range("0.0.0.0/0").last).toBe(2n ** 32n - 1n);
  });

  test.each(["10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "a/8", "10.0.0.0/8/8", "::/129"])("%s is none", (text) =>
    expect(parseRange(text)).toBe(undefined),
  );

  test("contain addresses and ranges of their family", () => {
    expect(isWithin(address("10.0.0.255"), range("10.0.0.0/24"))).toBe(true);
    expect(isWithin(address("10.0.1.0"), range("10.0.0.0/24"))).toBe(false);
    expect(isWithin(address("::1"), range("0.0.0.0/0"))).toBe(false);
    expect(isPartOf(range("10.0.0.0/25"), range("10.0.0.0/24"))).toBe(true);
    expect(isPartOf(range("10.0.0.0/24"), range("10.0.0.0/25"))).toBe(false);
    expect(doOverlap(range("10.0.0.0/24"), range("10.0.0.0/25"))).toBe(true);
    expect(doOverlap(range("10.0.0.0/24"), range("10.0.1.0/24"))).toBe(false);
  });
});
