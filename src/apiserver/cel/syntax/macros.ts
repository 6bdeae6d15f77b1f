/**
 * Expands the macros of CEL and of the libraries that Kubernetes switches on: a call becomes the loop or the choice
 * that it stands for.
 */
import { type CallExpr, type ComprehensionExpr, copyOf, type Expr } from "./ast.js";

/** The reason why a call with a macro's name and number of arguments cannot be expanded. */
interface MacroComplaint {
  readonly at: number;
  readonly message: string;
}

type Expansion = Expr | MacroComplaint;
type Macro = (call: MacroCall) => Expansion;

interface MacroCall {
  readonly target: Expr;
  readonly args: readonly Expr[];
  readonly at: number;
}

/** A name that no user can write. */
const accumulator = "@result";
const unused = "#unused";

/** Macros that only some expressions may use. */
export interface MacroOptions {
  /** `cel.bind(name, value, result)`. Default false. */
  readonly bindings?: boolean;
}

/** Undefined if the call is not a macro's. */
export function expandMacro(call: CallExpr, { bindings = false }: MacroOptions): Expansion | undefined {
  const { name, target, args, at } = call;
  if (bindings && isBinding(call)) return binding(call);
  if (target !== undefined) return memberMacros.get(`${name}:${args.length}`)?.({ target, args, at });
  if (name !== "has" || args.length !== 1) return undefined;
  const [argument] = args as [Expr];
  if (argument.type !== "select" || argument.test)
    return { at: argument.at, message: "invalid argument to has() macro" };
  return { ...argument, test: true, at };
}

/** Whether the expansion of the call contains its target twice. */
export const repeatsTarget = ({ name, args }: CallExpr): boolean =>
  args.length === 2 && (name === "optMap" || name === "optFlatMap");

type Body = Pick<ComprehensionExpr, "init" | "condition" | "step" | "result">;
interface Parts {
  /** The expressions that the loop evaluates for each item: the arguments after its variables. */
  readonly does: readonly Expr[];
  readonly variable: Expr;
  make(name: string, ...args: readonly Expr[]): Expr;
  literal(value: boolean | bigint): Expr;
  accumulated(): Expr;
  readonly at: number;
}

const notAName = "argument must be a simple name";
const notAnIdentifier = "argument is not an identifier";

/** A loop with one variable, or with two: key (or position) and value. `complaint` is for an argument that is not a name. */
const each =
  (variables: 1 | 2, body: (parts: Parts) => Body, complaint = notAName): Macro =>
  ({ target, args, at }) => {
    const names: string[] = [];
    for (const argument of args.slice(0, variables)) {
      if (argument.type !== "ident") return { at: argument.at, message: complaint };
      if (argument.name === "__result__" || argument.name === accumulator)
        return { at: argument.at, message: "iteration variable overwrites accumulator variable" };
      names.push(argument.name);
    }
    const [variable = "", second] = names;
    if (variable === second) return { at: (args[1] as Expr).at, message: `duplicate variable name: ${variable}` };
    const parts: Parts = {
      does: args.slice(variables),
      variable: args[0] as Expr,
      make: (name, ...operands) => ({ type: "call", name, target: undefined, args: operands, at }),
      literal: (value) => ({ type: "literal", value, at }),
      accumulated: () => ({ type: "ident", name: accumulator, at }),
      at,
    };
    return { type: "comprehension", range: target, variable, secondVariable: second, accumulator, at, ...body(parts) };
  };

const quantifiers = {
  all: ({ make, literal, accumulated, does }: Parts): Body => ({
    init: literal(true),
    condition: make("@not_strictly_false", accumulated()),
    step: make("_&&_", accumulated(), does[0] as Expr),
    result: accumulated(),
  }),
  exists: ({ make, literal, accumulated, does }: Parts): Body => ({
    init: literal(false),
    condition: make("@not_strictly_false", make("!_", accumulated())),
    step: make("_||_", accumulated(), does[0] as Expr),
    result: accumulated(),
  }),
  existsOne: ({ make, literal, accumulated, does }: Parts): Body => ({
    init: literal(0n),
    condition: literal(true),
    step: make("_?_:_", does[0] as Expr, make("_+_", accumulated(), literal(1n)), accumulated()),
    result: make("_==_", accumulated(), literal(1n)),
  }),
};

interface Step {
  readonly init: (at: number) => Expr;
  readonly step: (parts: Parts, transform: Expr) => Expr;
}

const listOf = (at: number, ...values: readonly Expr[]): Expr => ({
  type: "list",
  items: values.map((value) => ({ value, optional: false })),
  at,
});

const listStep: Step = {
  init: (at) => listOf(at),
  step: ({ make, accumulated, at }, transform) => make("_+_", accumulated(), listOf(at, transform)),
};
const emptyMap = (at: number): Expr => ({ type: "map", entries: [], at });
const mapStep: Step = {
  init: emptyMap,
  step: ({ make, accumulated, variable }, transform) =>
    make("cel.@mapInsert", accumulated(), copyOf(variable), transform),
};
const entryStep: Step = {
  init: emptyMap,
  step: ({ make, accumulated }, transform) => make("cel.@mapInsert", accumulated(), transform),
};

/** A loop with two expressions filters by the first. */
const transformed =
  ({ init, step }: Step) =>
  (parts: Parts): Body => {
    const { does, make, literal, accumulated, at } = parts;
    const whole = step(parts, does.at(-1) as Expr);
    return {
      init: init(at),
      condition: literal(true),
      step: does.length === 1 ? whole : make("_?_:_", does[0] as Expr, whole, accumulated()),
      result: accumulated(),
    };
  };

const filtered = ({ does, make, literal, accumulated, variable, at }: Parts): Body => ({
  init: listOf(at),
  condition: literal(true),
  step: make("_?_:_", does[0] as Expr, make("_+_", accumulated(), listOf(at, copyOf(variable))), accumulated()),
  result: accumulated(),
});

/** Gives `value` a name while `result` is evaluated, by a loop over an empty list. */
function bound(name: string, value: Expr, { result, at }: { readonly result: Expr; readonly at: number }): Expr {
  return {
    type: "comprehension",
    range: listOf(at),
    variable: unused,
    secondVariable: undefined,
    accumulator: name,
    init: value,
    condition: { type: "literal", value: false, at },
    step: { type: "ident", name, at },
    result,
    at,
  };
}

const isBinding = ({ name, target, args }: CallExpr): boolean =>
  name === "bind" && args.length === 3 && target?.type === "ident" && target.name === "cel";

function binding({ args, at }: CallExpr): Expansion {
  const [variable, value, result] = args as [Expr, Expr, Expr];
  if (variable.type !== "ident")
    return { at: variable.at, message: "cel.bind() variable names must be simple identifiers" };
  return bound(variable.name, value, { result, at });
}

function optional({ target, args, at }: MacroCall, macro: "optMap" | "optFlatMap"): Expansion {
  const [variable, transform] = args as [Expr, Expr];
  if (variable.type !== "ident")
    return { at: variable.at, message: `${macro}() variable name must be a simple identifier` };
  const member = (name: string, of: Expr): Expr => ({ type: "call", name, target: of, args: [], at });
  const global = (name: string, ...operands: readonly Expr[]): Expr => ({
    type: "call",
    name,
    target: undefined,
    args: operands,
    at,
  });
  const inner = bound(variable.name, member("value", copyOf(target)), { result: transform, at });
  const then = macro === "optMap" ? global("optional.of", inner) : inner;
  return global("_?_:_", member("hasValue", target), then, global("optional.none"));
}

const sortable = new Set(["list", "select", "ident", "comprehension", "call"]);

function sortBy({ target, args, at }: MacroCall): Expansion {
  if (!sortable.has(target.type))
    return {
      at: target.at,
      message: "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
    };
  const name = "@__sortBy_input__";
  const input = (): Expr => ({ type: "ident", name, at });
  const keys = each(1, transformed(listStep), notAnIdentifier)({ target: input(), args, at });
  if ("message" in keys) return keys;
  const result: Expr = { type: "call", name: "@sortByAssociatedKeys", target: input(), args: [keys], at };
  return bound(name, target, { result, at });
}

/** The key is the name and the number of arguments. */
const memberMacros: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ["all:2", each(1, quantifiers.all)],
  ["exists:2", each(1, quantifiers.exists)],
  ["exists_one:2", each(1, quantifiers.existsOne)],
  ["map:2", each(1, transformed(listStep), notAnIdentifier)],
  ["map:3", each(1, transformed(listStep), notAnIdentifier)],
  ["filter:2", each(1, filtered, notAnIdentifier)],
  ["all:3", each(2, quantifiers.all)],
  ["exists:3", each(2, quantifiers.exists)],
  ["existsOne:3", each(2, quantifiers.existsOne)],
  ["exists_one:3", each(2, quantifiers.existsOne)],
  ["transformList:3", each(2, transformed(listStep))],
  ["transformList:4", each(2, transformed(listStep))],
  ["transformMap:3", each(2, transformed(mapStep))],
  ["transformMap:4", each(2, transformed(mapStep))],
  ["transformMapEntry:3", each(2, transformed(entryStep))],
  ["transformMapEntry:4", each(2, transformed(entryStep))],
  ["optMap:2", (call) => optional(call, "optMap")],
  ["optFlatMap:2", (call) => optional(call, "optFlatMap")],
  ["sortBy:2", sortBy],
]);
