/** Follows one command whose words are known: takes its name, arguments and surroundings, gives its end. */
import { posix } from "node:path";
import { lookup, own } from "../../base/members.js";
import { atOnce, type Ending, forever, printed } from "./ending.js";
import { NotUnderstood, numberOf } from "./not-understood.js";
import { type CommandSurroundings, fileText } from "./surroundings.js";
import { followTestImage } from "./test-image.js";

/** `exits` is true for a command that ends the script around it. */
type CommandEnding = Ending & { readonly exits?: boolean };

/** Throws `NotUnderstood` for a command that would have to be run. */
export function followCommand(name: string, args: readonly string[], surroundings: CommandSurroundings): CommandEnding {
  const follow = own(commands, posix.basename(name));
  if (follow === undefined) throw new NotUnderstood(`${name} would have to be run`);
  return follow(args, surroundings, name);
}

type Command = (args: readonly string[], surroundings: CommandSurroundings, name: string) => CommandEnding;

const testImage: Command = (args, surroundings, name) => followTestImage(name, args, surroundings);

const commands: Readonly<Record<string, Command>> = lookup({
  true: () => atOnce(0),
  ":": () => atOnce(0),
  set: () => atOnce(0),
  trap: () => atOnce(0),
  false: () => atOnce(1),
  exit: ([code = "0"]) => ({ ...atOnce(numberOf(code) & 255), exits: true }),
  pause: () => forever,
  sleep: (args) => {
    const slept = args.reduce((sum, arg) => sum + durationOf(arg), 0);
    return Number.isFinite(slept) ? { ...atOnce(0), slept } : forever;
  },
  echo: ([first = "", ...rest]) =>
    first === "-n"
      ? atOnce(0, [{ at: 0, text: rest.join(" "), isOpen: true }])
      : atOnce(0, [{ at: 0, text: [first, ...rest].join(" ") }]),
  cat: (args, surroundings) => {
    if (args.length === 0) throw new NotUnderstood("cat reads its standard input");
    return atOnce(0, printed(args.map((path) => fileText(path, surroundings)).join("")));
  },
  env: (args, { environment }) => {
    if (args.length > 0) throw new NotUnderstood("env runs a program");
    return atOnce(
      0,
      [...environment].map(([key, value]) => ({ at: 0, text: `${key}=${value}` })),
    );
  },
  test: (args) => atOnce(compare(args) ? 0 : 1),
  "[": (args) => atOnce(compare(args.slice(0, -1)) ? 0 : 1),
  "[[": (args) => atOnce(compare(args.slice(0, -1)) ? 0 : 1),
  agnhost: testImage,
  // the same program, under the name by which its tests know an image's command from a pod's
  "agnhost-2": testImage,
});

const unitMs: Readonly<Record<string, number>> = lookup({ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 });

function durationOf(text: string): number {
  if (/^(inf|infinity)$/.test(text)) return Number.POSITIVE_INFINITY;
  const found = /^(?<number>\d+(?:\.\d+)?)(?<unit>[smhd]?)$/.exec(text);
  if (found === null) throw new NotUnderstood(`${JSON.stringify(text)} is no time`);
  return Number(found.groups?.["number"]) * (unitMs[found.groups?.["unit"] || "s"] as number);
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = lookup({
  "-eq": (a, b) => a === b,
  "-ne": (a, b) => a !== b,
  "-lt": (a, b) => a < b,
  "-le": (a, b) => a <= b,
  "-gt": (a, b) => a > b,
  "-ge": (a, b) => a >= b,
});

function compare(args: readonly string[]): boolean {
  const [a = "", operator = "", b = ""] = args;
  if (a === "!") return !compare(args.slice(1));
  if (args.length === 1) return a !== "";
  if (args.length === 2 && a === "-n") return operator !== "";
  if (args.length === 2 && a === "-z") return operator === "";
  if (args.length === 3 && (operator === "=" || operator === "==")) return a === b;
  if (args.length === 3 && operator === "!=") return a !== b;
  const numbers = args.length === 3 ? own(comparisons, operator) : undefined;
  if (numbers === undefined) throw new NotUnderstood(`cannot test ${args.join(" ")}`);
  return numbers(numberOf(a), numberOf(b));
}
