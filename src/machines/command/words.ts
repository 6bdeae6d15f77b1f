/** Expands a word of a shell script as a shell does: removes quotes, substitutes variables and sums. */
import { lookup } from "../../base/members.js";
import { NotUnderstood, numberOf } from "./not-understood.js";

type ContainerEnvironment = ReadonlyMap<string, string>;

/** An unknown variable is an error, unless `lenient`: then it is empty. */
export function substitute(word: string, environment: ContainerEnvironment, lenient = false): string {
  const known = lenient ? { get: (name: string) => environment.get(name) ?? "" } : environment;
  return substituteWith(word, known);
}

type Known = Pick<ContainerEnvironment, "get">;

function substituteWith(word: string, environment: Known): string {
  return word.replace(
    /'(?<single>[^']*)'?|"(?<double>(?:\\.|[^"\\])*)"?|(?<bare>(?:\$\(\((?:[^)]|\)(?!\)))*(?:\)\))?|\$\([^()]*\)|[^'"])+)/gs,
    (_all, single?: string, double?: string, bare?: string) => single ?? expand(double ?? bare ?? "", environment),
  );
}

const expansion =
  /\$\(\((?<sum>(?:[^)]|\)(?!\)))*)(?:\)\))?|\$\((?<command>[^()]*)\)|\$\{(?<braced>\w+)\}|\$(?<name>\w+)|\\(?<escaped>.)|[$`]/gs;

function expand(text: string, environment: Known): string {
  let expanded = "";
  let end = 0;
  for (const found of text.matchAll(expansion)) {
    expanded += text.slice(end, found.index) + valueOf(found[0], found.groups ?? {}, environment);
    end = found.index + found[0].length;
  }
  return expanded + text.slice(end);
}

type Groups = Readonly<Record<string, string | undefined>>;

function valueOf(all: string, { sum, command, braced, name, escaped }: Groups, environment: Known): string {
  if (escaped !== undefined) return escaped;
  if (sum !== undefined) return String(calculate(expand(sum, environment)));
  if (command !== undefined) return expr(command.trim().split(/\s+/), environment);
  const variable = braced ?? name;
  const value = variable === undefined ? undefined : environment.get(variable);
  if (value === undefined) throw new NotUnderstood(`${all} is not known`);
  return value;
}

/** The output of the only programs in `$(…)` that need not be run: expr and echo. */
function expr(words: readonly string[], environment: Known): string {
  const [name, ...rest] = words.map((word) => substituteWith(word, environment));
  if (name === "echo") return rest.join(" ");
  if (name !== "expr") throw new NotUnderstood(`${words.join(" ")} would have to be run`);
  return String(calculate(rest.join(" ")));
}

const sums: Readonly<Record<string, (a: number, b: number) => number>> = lookup({
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => Math.trunc(a / b),
  "%": (a, b) => a % b,
});

/** At most one operation: scripts of tests and examples need no more. */
function calculate(text: string): number {
  const found = /^\s*(?<a>-?\d+)\s*(?:\\?(?<operator>[-+*/%])\s*(?<b>-?\d+)\s*)?$/.exec(text);
  if (found === null) throw new NotUnderstood(`cannot calculate ${text}`);
  const { a = "", operator, b = "" } = found.groups ?? {};
  if (operator === undefined) return numberOf(a);
  if (numberOf(b) === 0 && (operator === "/" || operator === "%")) throw new NotUnderstood("division by zero");
  return (sums[operator] as (a: number, b: number) => number)(numberOf(a), numberOf(b));
}
