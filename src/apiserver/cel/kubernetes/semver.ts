/** `semver(text)`: versions and their order. */
import { goQuote } from "../../../api/index.js";
import { type Library, overload, type Overload } from "../checker/environment.js";
import { opaque } from "../values/types.js";
import type { Meter } from "../values/meter.js";
import { ErrorValue, Opaque, type Value } from "../values/value.js";

const type = opaque("kubernetes.Semver");

class Semver extends Opaque {
  readonly type = type;
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  equals(other: this): boolean {
    return compare(this, other) === 0;
  }
}

function compare(a: Semver, b: Semver): number {
  for (const [i, number] of a.numbers.entries()) {
    const other = b.numbers[i] as bigint;
    if (number !== other) return number < other ? -1 : 1;
  }
  // a version without a prerelease comes after its prereleases (SemVer 2.0.0, section 11)
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Math.sign(b.prerelease.length - a.prerelease.length);
  for (const [i, part] of a.prerelease.entries()) {
    const other = b.prerelease[i];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return a.prerelease.length === b.prerelease.length ? 0 : -1;
}

const isNumber = (text: string): boolean => /^\d+$/.test(text);

/** Numbers come before words (SemVer 2.0.0, section 11). */
function compareParts(a: string, b: string): number {
  if (a === b) return 0;
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  if (isNumber(a)) return BigInt(a) < BigInt(b) ? -1 : 1;
  return a < b ? -1 : 1;
}

/** At most three parts; the last holds the rest of the text. */
function inThree(text: string): readonly string[] {
  const [first = "", second, ...rest] = text.split(".");
  return [first, ...(second === undefined ? [] : [second]), ...(rest.length === 0 ? [] : [rest.join(".")])];
}

function parse(text: string): Semver | string {
  if (text === "") return "Version string empty";
  const [major = "", minor, last] = inThree(text);
  if (minor === undefined || last === undefined) return "No Major.Minor.Patch elements found";
  const plus = last.indexOf("+");
  const build = plus < 0 ? [] : last.slice(plus + 1).split(".");
  const unbuilt = plus < 0 ? last : last.slice(0, plus);
  const dash = unbuilt.indexOf("-");
  const prerelease = dash < 0 ? [] : unbuilt.slice(dash + 1).split(".");
  const numbers = { major, minor, patch: dash < 0 ? unbuilt : unbuilt.slice(0, dash) };
  for (const [name, part] of Object.entries(numbers)) {
    if (!/^\d*$/.test(part)) return `Invalid character(s) found in ${name} number ${goQuote(part)}`;
    if (/^0\d/.test(part))
      return `${name[0]?.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${goQuote(part)}`;
    if (part === "") return `strconv.ParseUint: parsing "": invalid syntax`;
    if (part.length > 20 || BigInt(part) >= 2n ** 64n)
      return `strconv.ParseUint: parsing ${goQuote(part)}: value out of range`;
  }
  const fault = partFault(prerelease, build);
  if (fault !== undefined) return fault;
  return new Semver([BigInt(major), BigInt(minor), BigInt(numbers.patch)], prerelease);
}

function partFault(prerelease: readonly string[], build: readonly string[]): string | undefined {
  for (const part of prerelease) {
    if (part === "") return "Prerelease is empty";
    if (/^0\d+$/.test(part)) return `Numeric PreRelease version must not contain leading zeroes ${goQuote(part)}`;
    if (!/^[A-Za-z0-9-]+$/.test(part)) return `Invalid character(s) found in prerelease ${goQuote(part)}`;
  }
  for (const part of build) {
    if (part === "") return "Build meta data is empty";
    if (!/^[A-Za-z0-9-]+$/.test(part)) return `Invalid character(s) found in build meta data ${goQuote(part)}`;
  }
  return undefined;
}

/** The value of a version in an object, or the reason why it is none. */
export const semverValue = (text: string): Value => parse(text);

/** Also accepts a leading v, leading zeros, or fewer than three parts. */
function parseLoosely(text: string): Semver | string {
  const parts = inThree(text.replace(/^v/, "")).map((part) => (part.length > 1 ? part.replace(/^0+(?=\d)/, "") : part));
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) as string))
    return "short version cannot contain PreRelease/Build meta data";
  return parse([...parts, "0", "0"].slice(0, 3).join("."));
}

function parsed([text, loosely = false]: [string, boolean?], meter: Meter): Semver | string {
  meter.read(text.length);
  return loosely ? parseLoosely(text) : parse(text);
}

function versionOf(args: [string, boolean?], meter: Meter): Value {
  const version = parsed(args, meter);
  return typeof version === "string" ? new ErrorValue(version) : version;
}

const isVersion = (args: [string, boolean?], meter: Meter): Value => typeof parsed(args, meter) !== "string";

type Two = [Semver, Semver];
const number = (name: string, index: 0 | 1 | 2): Overload =>
  overload(`semver_${name}`, "kubernetes.Semver.() -> int", ([{ numbers }]: [Semver]) => numbers[index]);
const comparison = (id: string, result: string, of: (order: number) => Value): Overload =>
  overload(id, `kubernetes.Semver.(kubernetes.Semver) -> ${result}`, ([a, b]: Two, meter) => {
    meter.toil(a.prerelease.length);
    return of(compare(a, b));
  });

export const semverLibrary: Library = {
  semver: [
    overload("string_to_semver", "(string) -> kubernetes.Semver", versionOf),
    overload("string_bool_to_semver", "(string, bool) -> kubernetes.Semver", versionOf),
  ],
  isSemver: [
    overload("is_semver_string", "(string) -> bool", isVersion),
    overload("is_semver_string_bool", "(string, bool) -> bool", isVersion),
  ],
  major: [number("major", 0)],
  minor: [number("minor", 1)],
  patch: [number("patch", 2)],
  isGreaterThan: [comparison("semver_is_greater_than", "bool", (order) => order > 0)],
  isLessThan: [comparison("semver_is_less_than", "bool", (order) => order < 0)],
  compareTo: [comparison("semver_compare_to", "int", (order) => BigInt(order))],
};
