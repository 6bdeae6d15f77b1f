/** The small languages as targets: selectors of labels and fields, CEL expressions, and patterns of schemas. */
import { type FieldSelector, ParseError, parseFieldSelector, parseLabelSelector } from "../../../src/api/index.js";
import { dyn } from "../../../src/apiserver/cel/values/types.js";
import { type Compiled, compile, evaluate } from "../../../src/apiserver/cel/compile.js";
import { estimate } from "../../../src/apiserver/cel/cost/estimate.js";
import { kubernetesFunctions } from "../../../src/apiserver/cel/kubernetes/libraries.js";
import { CelSyntaxError } from "../../../src/apiserver/cel/syntax/source.js";
import { fromJson } from "../../../src/apiserver/cel/values/json.js";
import { Pattern, PatternError } from "../../../src/apiserver/text/pattern/pattern.js";
import { bytesOf, Finding, type Outcome, resultOr, shapeOf, type TargetKind, textOf } from "../target.js";

/** Targets without state. */
function language(
  kind: Omit<TargetKind, "open" | "seeds"> & {
    readonly seeds: readonly string[];
    readonly run: (text: string) => Outcome;
  },
): TargetKind {
  const { name, words, run } = kind;
  return {
    name,
    words,
    seeds: kind.seeds.map(bytesOf),
    open: async () => ({ run: async (input) => run(textOf(input)), [Symbol.asyncDispose]: async () => {} }),
  };
}

const labels = language({
  name: "label-selectors",
  seeds: ["a=b", "a==b,c!=d", "a in (b,c),!d", "example.com/a notin (x,),size>3", "e,f<10"],
  words: [" in ", " notin ", "(", ")", ",", "=", "==", "!=", "!", "<", ">", "example.com/", "-", "."],
  run: (text) =>
    resultOr(
      [ParseError],
      () => parseLabelSelector(text),
      (selector) => {
        const printed = String(selector);
        if (String(parseLabelSelector(printed)) !== printed)
          throw new Finding(`prints ${printed}, which reads as another`);
        return {
          kind: `matches ${selector.matches({})} ${selector.matches({ a: "b", size: "5" })}`,
          detail: shapeOf(printed),
        };
      },
    ),
});

/** Terms are sorted as they are written, so `a==b` stands elsewhere than the `a=b` that it is printed as. */
const meaningOf = ({ requirements }: FieldSelector): string =>
  requirements
    .map((one) => JSON.stringify(one))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join();

const fields = language({
  name: "field-selectors",
  seeds: ["metadata.name=a", "a!=b,c==d", String.raw`a=b\,c\=d\\`, "=,spec.nodeName="],
  words: ["=", "==", "!=", ",", "\\", "\\,", "metadata.name", "."],
  run: (text) =>
    resultOr(
      [ParseError],
      () => parseFieldSelector(text),
      (selector) => {
        const printed = String(selector);
        if (meaningOf(parseFieldSelector(printed)) !== meaningOf(selector))
          throw new Finding(`prints ${printed}, which reads as another`);
        return { kind: "selector", detail: shapeOf(printed) };
      },
    ),
});

const environment = {
  functions: kubernetesFunctions,
  variables: new Map([["self", dyn]]),
  types: { fieldType: () => undefined, named: () => undefined },
};
const self = fromJson({
  a: 1,
  list: [1, "a", null, { b: [] }],
  ints: [3, 1, 2],
  text: "some text",
  map: { a: { b: 1.5 } },
});
const costLimit = 10_000;

const cel = language({
  name: "cel",
  seeds: [
    "self.ints.all(x, x > 0) && has(self.a) || !(self.text.size() < 5u)",
    "self.list.map(x, type(x)).exists_one(t, t == int) ? [1, 2][0] : {'a': dyn(1.5)}['a']",
    "duration('1h') + timestamp('2026-01-01T00:00:00Z') > timestamp('2025-01-01T00:00:00Z')",
    "'%s %d %.2f'.format([self.text, 1, 1.5]).split(' ').join('-').matches('^[a-z]+(x|y)*$')",
    "quantity('1Gi').add(quantity('1')).compareTo(quantity('2')) == 0 && ip('10.0.0.1').family() == 4",
    "cidr('10.0.0.0/8').containsIP('10.1.1.1') || url('https://a/b?c=d').getQuery()['c'][0] == 'd'",
    "optional.of(self).a.optMap(v, v + 1).orValue(0) == 2 && self.?map.a.hasValue()",
    "sets.intersects(self.ints, [1]) && self.ints.sort().indexOf(2) == 1 && self.list.distinct().size() > 0",
    "self.map.transformMap(k, v, k + string(v.b)).size() == 1 && lists.range(5).sum() == 10",
    "b'abc' + bytes('ü') == b'\\x61' ? r'\\d' : \"\"\"long\ntext\"\"\"",
    "semver('1.2.3').isLessThan(semver('2.0.0')) && self.text.findAll('[a-z]').size() == 8",
    "-9223372036854775808 / -1 == 0 || 18446744073709551615u + 1u > 0u || int('5') % 0 == 1",
  ],
  words:
    "self self.a self.list self.text self.map self.ints [ ] ( ) { } , . ? ?. [? : + - * / % ! && || == != < <= > >= in 1 0 2u 3.5 1e308 'a' b'b' \"\"\" null true false size has( all( exists( map( filter( optMap( transformMap( sortBy( x y @ ` \\ // duration( timestamp( string( int( uint( double( type( format( matches( lists.range( sets.contains( ip( cidr( quantity( semver( url( .substring( .replace( .charAt( .flatten() .reverse() .getHours() .orValue( cel.bind( dyn(".split(
      " ",
    ),
  run: (text) =>
    resultOr(
      [CelSyntaxError],
      () => compile(text, environment),
      ({ program, checked }: Compiled) => {
        const result = evaluate(program, () => self, costLimit);
        if (result.type !== "too costly" && !(result.cost <= costLimit))
          throw new Finding(`costs ${result.cost} of ${costLimit}`);
        const estimated = estimate(checked, () => 10);
        if (!(estimated >= 0)) throw new Finding(`is estimated to cost ${estimated}`);
        if (result.type === "error")
          return { kind: result.message.split(" ").slice(0, 3).join(" "), detail: shapeOf(text) };
        const type = result.type === "value" ? typeof result.value : "";
        return { kind: `${result.type} ${type} ${Math.floor(Math.log2(result.cost + 1))}`, detail: shapeOf(text) };
      },
    ),
});

const text = `${"a".repeat(150)}-B.1\n é😀`;
/**
 * Steps of matching that a short pattern may take on that text: more than any takes that goes through it once for each
 * of its steps.
 */
const mostSteps = 20_000_000;

const patterns = language({
  name: "patterns",
  seeds: [
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    "(a+a+)+b",
    String.raw`\d{1,3}(\.\d+)*|[[:alpha:]]\pL`,
    "(?i:A)(?P<n>b)*?$",
    String.raw`\bx{2,}[^\x00-\x{10FFFF}]`,
    String.raw`\Q.*\E`,
  ],
  words: [
    "(",
    ")",
    "(?:",
    "(?i)",
    "(?P<a>",
    "[",
    "]",
    "[^",
    "[[:digit:]]",
    "{1,1000}",
    "{2}",
    "{,",
    "*",
    "+",
    "?",
    "|",
    "^",
    "$",
    "\\b",
    "\\B",
    "\\A",
    "\\z",
    "\\pN",
    "\\p{Greek}",
    "\\P",
    "\\Q",
    "\\E",
    "\\x{",
    "-",
    ".",
  ],
  run: (source) =>
    resultOr(
      [PatternError],
      () => new Pattern(source),
      (pattern) => {
        let steps = 0;
        const spend = (ways: number): void => {
          steps += ways;
          if (steps > mostSteps) throw new Finding(`takes more than ${mostSteps} steps for ${text.length} characters`);
        };
        const matches = [...pattern.matches(text, spend)];
        if (pattern.test(text, spend) !== matches.length > 0) throw new Finding("has a match, and has none");
        return { kind: `matches ${Math.min(3, matches.length)}`, detail: shapeOf(source) };
      },
    ),
});

export const languageTargets: readonly TargetKind[] = [labels, fields, cel, patterns];
