/** The string formats that a schema may name; an unknown format accepts every text. */
import { isIPv6 } from "node:net";
import { lookup } from "../../base/members.js";
import { isDns1123Label, isDns1123Subdomain, parseDuration } from "../../api/index.js";

function parses(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

/** Leading zeros are accepted, as by Go before 1.17. */
const isAddress4 = (text: string): boolean =>
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) && text.split(".").every((part) => Number(part) <= 255);
const isAddress6 = (text: string): boolean => isIPv6(text) && !text.includes("%");
const isAddress = (text: string): boolean => isAddress4(text) || isAddress6(text);

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...more] = text.split("/");
  const longest = isAddress4(address) ? 32 : 128;
  return more.length === 0 && isAddress(address) && /^\d{1,3}$/.test(bits) && Number(bits) <= longest;
}

const label = String.raw`[a-zA-Z0-9\p{S}\p{L}]`;
const hostname = new RegExp(
  String.raw`^(?:${label}(?:-?${label}{0,62})?|(?:${label}(?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}${label})?\.)+[a-zA-Z\p{L}]{2,63})$`,
  "u",
);
const isHostname = (text: string): boolean =>
  hostname.test(text) &&
  Buffer.byteLength(text) <= 255 &&
  text.split(".").every((part) => Buffer.byteLength(part) <= 63);

const dateTime = /^\d{4}-\d{2}-\d{2}[Tt ](?:[01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const matching = (pattern: RegExp) => (text: string) => pattern.test(text);

function isDate(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** An address, bare or in angle brackets after a name. */
const atom = String.raw`[^\s@<>()[\]:;,\\".]+`;
const email = new RegExp(`^(?:[^<>@]*<)?${atom}(?:\\.${atom})*@${atom}(?:\\.${atom})*(>?)$`);
const isEmail = (text: string): boolean => {
  const found = email.exec(text.trim());
  return found !== null && (found[1] === ">") === text.includes("<");
};

/** The spellings of each unit; every word that begins with the last spelling is accepted too. */
const timeUnits: readonly (readonly string[])[] = [
  ["ns", "nano"],
  ["us", "µs", "micro"],
  ["ms", "milli"],
  ["s", "sec"],
  ["m", "min"],
  ["h", "hr", "hour"],
  ["d", "day"],
  ["w", "week"],
];

/** True for a duration of the API, and for any text that contains a number with a unit. */
function isDuration(text: string): boolean {
  if (parses(() => parseDuration(text))) return true;
  return [...text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)].some(([, word = ""]) =>
    timeUnits.some((forms) => {
      const unit = word.toLowerCase();
      return forms.includes(unit) || unit.startsWith(forms.at(-1) as string);
    }),
  );
}

function isRgb(text: string): boolean {
  const found = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return found !== null && found.slice(1).every((part) => String(Number(part)) === part && Number(part) <= 255);
}

const weighted = (digits: string, weight: (index: number) => number): number =>
  digits.split("").reduce((sum, digit, index) => sum + weight(index) * (digit === "X" ? 10 : Number(digit)), 0);

const isIsbn10 = (text: string): boolean => {
  const digits = text.replaceAll(/[\s-]/g, "");
  return /^\d{9}[\dX]$/.test(digits) && weighted(digits, (index) => index + 1) % 11 === 0;
};
const isIsbn13 = (text: string): boolean => {
  const digits = text.replaceAll(/[\s-]/g, "");
  return /^\d{13}$/.test(digits) && weighted(digits, (index) => (index % 2 === 0 ? 1 : 3)) % 10 === 0;
};

const cardNumber =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|(?:222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}|6[27]\d{14})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, "");
  if (!cardNumber.test(digits)) return false;
  const sum = digits
    .split("")
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

/** The key is the format's name without dashes. */
const formats: Readonly<Record<string, (text: string) => boolean>> = lookup({
  bsonobjectid: matching(/^[0-9a-f]{24}$/i),
  uri: (text) => text.startsWith("/") || parses(() => new URL(text)),
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => isAddress(text) && text.includes("."),
  ipv6: isAddress6,
  cidr: isCidr,
  mac: matching(
    /^([0-9a-f]{2}([:-]))([0-9a-f]{2}\2){4}[0-9a-f]{2}$|^([0-9a-f]{2}([:-]))([0-9a-f]{2}\5){6}[0-9a-f]{2}$|^([0-9a-f]{4}\.){2,3}[0-9a-f]{4}$|^(?:[0-9a-f]{12}|[0-9a-f]{16})$/i,
  ),
  uuid: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  hexcolor: matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: isRgb,
  ssn: matching(/^\d{3}[- ]\d{2}[- ]\d{4}$/),
  byte: (text) => /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0,
  password: () => true,
  date: isDate,
  datetime: (text) => dateTime.test(text) && !Number.isNaN(Date.parse(text.replace(" ", "T"))),
  duration: isDuration,
  k8sshortname: (text) => isDns1123Label(text).length === 0,
  k8slongname: (text) => isDns1123Subdomain(text).length === 0,
});

/** Whether a format is defined for a type. */
export function isKnownFormat(type: string | undefined, format: string): boolean {
  if (type === "integer") return format === "int32" || format === "int64";
  if (type === "number") return format === "float" || format === "double";
  if (type !== undefined && type !== "string") return false;
  return Object.hasOwn(formats, format.replaceAll("-", ""));
}

/** True for unknown formats too. */
export function hasFormat(format: string, text: string): boolean {
  const name = format.replaceAll("-", "");
  return !Object.hasOwn(formats, name) || (formats[name]?.(text) ?? true);
}
