/** `format.dns1123Label()` and the other named formats: each takes a text and gives its faults, if there are any. */
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
} from "../../../api/index.js";
import { hasFormat } from "../../text/formats.js";
import { type Library, overload } from "../checker/environment.js";
import { opaque, type Type } from "../values/types.js";
import { ArrayList, Opaque, Optional } from "../values/value.js";
import { uriFault } from "./urls.js";

const type: Type = opaque("kubernetes.NamedFormat");

type Judge = (text: string) => readonly string[];

/** A named format. `patternLength` is the length of pattern that kube-apiserver assumes for the format when it counts costs. */
export class NamedFormat extends Opaque {
  readonly type: Type = type;
  readonly name: string;
  readonly judge: Judge;
  readonly patternLength: number;

  constructor(name: string, patternLength: number, judge: Judge) {
    super();
    this.name = name;
    this.patternLength = patternLength;
    this.judge = judge;
  }

  equals(other: this): boolean {
    return this.name === other.name;
  }
}

/** Judges the prefix of a generated name, which may end in a dash although a name may not. */
const asPrefix =
  (judge: Judge): Judge =>
  (text) =>
    judge(text.replace(/-$/, (dash, at: number) => (at > 0 ? "a" : dash)));

const named =
  (format: string, complaint: string): Judge =>
  (text) =>
    hasFormat(format, text) ? [] : [complaint];

const uri: Judge = (text) => {
  const fault = uriFault(text);
  return fault === undefined ? [] : [fault];
};

const formats: ReadonlyMap<string, NamedFormat> = new Map(
  (
    [
      ["dns1123Label", 30, isDns1123Label],
      ["dns1123Subdomain", 60, isDns1123Subdomain],
      ["dns1035Label", 30, isDns1035Label],
      ["qualifiedName", 60, isQualifiedName],
      ["dns1123LabelPrefix", 30, asPrefix(isDns1123Label)],
      ["dns1123SubdomainPrefix", 60, asPrefix(isDns1123Subdomain)],
      ["dns1035LabelPrefix", 30, asPrefix(isDns1035Label)],
      ["labelValue", 40, isLabelValue],
      ["uri", 1103, uri],
      ["uuid", 70, named("uuid", "does not match the UUID format")],
      ["byte", 84, named("byte", "invalid base64")],
      ["date", 71, named("date", "invalid date")],
      ["datetime", 71, named("datetime", "invalid datetime")],
    ] as const
  ).map(([name, patternLength, judge]) => [name, new NamedFormat(name, patternLength, judge)] as const),
);

export const formatLibrary: Library = {
  ...Object.fromEntries(
    Array.from(formats, ([name, format]) => [
      `format.${name}`,
      [overload(`format.${name}`, "() -> kubernetes.NamedFormat", () => format)],
    ]),
  ),
  "format.named": [
    overload("format-named", "(string) -> optional_type(kubernetes.NamedFormat)", ([name]: [string]) => {
      const format = formats.get(name);
      return format === undefined ? Optional.none : new Optional(format);
    }),
  ],
  validate: [
    overload(
      "format-validate",
      "kubernetes.NamedFormat.(string) -> optional_type(list(string))",
      ([format, text]: [NamedFormat, string], meter) => {
        meter.read(text.length * 4);
        const complaints = format.judge(text);
        return complaints.length === 0 ? Optional.none : new Optional(new ArrayList(complaints));
      },
    ),
  ],
};
