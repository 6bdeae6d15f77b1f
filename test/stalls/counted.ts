/**
 * Counts work instead of timing it. Takes modules of this repository and bundles them, with their packages, with a
 * counter in each function and loop, so that the growth of work with input can be tested on any machine. Loops inside
 * the engine (searches in arrays, spreads, JSON) count by the number of items; regular expressions, maps and sets do
 * not count.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { parseAst } from "rolldown/parseAst";

interface Counter {
  steps: number;
  spread<T>(value: T): T;
}

export interface Counted<T> {
  readonly module: T;
  /** The steps that the function takes until it has settled. Two calls at a time would count each other's steps. */
  steps(run: () => Promise<unknown>): Promise<number>;
  /** The steps so far, for a look while they are counted. */
  now(): number;
}

const name = "__coxswainWork";

/** Lazily loaded modules must be in the bundle to be counted. */
const lazy = {
  path: "/src/api/yaml/library.ts",
  atOnce: 'import * as library from "js-yaml"; export const yamlLibrary = () => library;',
};

/** `entry` is a path in the repository; its types are its own. */
export async function countedModule<T>(entry: string): Promise<Counted<T>> {
  const build = await rolldown({
    input: entry,
    platform: "node",
    external: [/^node:/],
    logLevel: "silent",
    transform: { target: "es2023" },
    plugins: [{ name: "load at once", load: (id) => (id.endsWith(lazy.path) ? lazy.atOnce : null) }],
  });
  const { output } = await build.generate({ format: "esm", codeSplitting: false });
  await build.close();
  // packages that are loaded on demand must be found from here
  await mkdir(".cache", { recursive: true });
  const folder = await mkdtemp(join(process.cwd(), ".cache", "stalls-"));
  try {
    const file = join(folder, "counted.mjs");
    const counter: Counter = { steps: 0, spread };
    function spread<V>(value: V): V {
      if (typeof value === "object" && value !== null) counter.steps += Object.keys(value).length;
      else if (typeof value === "string") counter.steps += value.length;
      return value;
    }
    Object.assign(globalThis, { [name]: counter });
    await writeFile(file, instrumented(output[0].code));
    const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as T;
    return { module, steps: (run) => stepsOf(counter, run), now: () => counter.steps };
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === "object" && value !== null && typeof (value as Partial<Syntax>).type === "string";

/** The same program with a count at the beginning of each function and each round of a loop. */
function instrumented(code: string): string {
  const insertions: { readonly at: number; readonly text: string }[] = [];
  const around = ({ start, end }: Syntax, before: string, after: string): void => {
    insertions.push({ at: start, text: before }, { at: end, text: after });
  };
  const count = `${name}.steps++`;
  const visit = (node: Syntax): void => {
    const body = node["body"];
    if (isSyntax(body) && /^(?:For|While|DoWhile|Function|ArrowFunction)/.test(node.type)) {
      if (body.type === "BlockStatement" || body.type === "FunctionBody") {
        insertions.push({ at: body.start + 1, text: `${count};` });
      } else if (node.type === "ArrowFunctionExpression") around(body, `(${count},`, ")");
      else around(body, `{${count};`, "}");
    }
    if (node.type === "SpreadElement") around(node["argument"] as Syntax, `${name}.spread(`, ")");
    for (const child of Object.values(node).flat()) if (isSyntax(child)) visit(child);
  };
  visit(parseAst(code) as unknown as Syntax);
  // at the same place, ends come before starts
  const sorted = insertions.toSorted((a, b) => a.at - b.at || Number(b.text === ")") - Number(a.text === ")"));
  let text = "";
  let last = 0;
  for (const { at, text: inserted } of sorted) {
    text += code.slice(last, at) + inserted;
    last = at;
  }
  return text + code.slice(last);
}

type Method = (this: unknown, ...given: unknown[]) => unknown;
type Measure = (self: unknown, given: readonly unknown[], result: unknown) => number;

const lengthOf = (value: unknown): number => (value as ArrayLike<unknown> | undefined)?.length ?? 0;
/** A search ends where something is found. */
const searched: Measure = (self, _, result) => (typeof result === "number" && result >= 0 ? result : lengthOf(self));
const whole: Measure = (self) => lengthOf(self);
const made: Measure = (_, __, result) => lengthOf(result);
const shifted: Measure = (self, [start]) => Math.max(0, lengthOf(self) - Number(start));

const nativeLoops: readonly (readonly [object, string, Measure])[] = [
  ...["indexOf", "lastIndexOf"].map((method) => [Array.prototype, method, searched] as const),
  ...["includes", "join", "reverse", "shift", "unshift"].map((method) => [Array.prototype, method, whole] as const),
  ...["slice", "concat", "toReversed"].map((method) => [Array.prototype, method, made] as const),
  [Array.prototype, "splice", shifted],
  ...["split", "replace", "replaceAll", "repeat"].map((method) => [String.prototype, method, made] as const),
  ...["keys", "values", "entries"].map((method) => [Object, method, made] as const),
  [JSON, "stringify", made],
  [JSON, "parse", (_, [text]) => lengthOf(text)],
];

async function stepsOf(counter: Counter, run: () => Promise<unknown>): Promise<number> {
  const undo = nativeLoops.map(([owner, method, measure]) => {
    const methods = owner as Record<string, Method>;
    const original = methods[method] as Method;
    methods[method] = function (...given) {
      const result = Reflect.apply(original, this, given);
      counter.steps += measure(this, given, result);
      return result;
    };
    return () => {
      methods[method] = original;
    };
  });
  counter.steps = 0;
  try {
    await run();
  } finally {
    for (const restore of undo) restore();
  }
  return counter.steps;
}
