/** Takes the selector of a device as text; gives its fault, as kube-apiserver finds it: does it compile, is it too dear? */
import { own } from "../../../base/members.js";
import type { CelEnvironment } from "../checker/environment.js";
import { type Compiled, compiledOrFault } from "../compile.js";
import type { Program } from "../evaluate/program.js";
import { estimate, type ValuePath } from "../cost/estimate.js";
import { kubernetesFunctions } from "../kubernetes/libraries.js";
import * as types from "../values/types.js";
import type { Type } from "../values/types.js";

export type SelectorFault =
  | { readonly type: "wrong"; readonly message: string }
  /** The estimated cost is beyond the limit. */
  | { readonly type: "too complex" };

export const maxSelectorCost = 1_000_000;
const device = "kubernetes.DRADevice";
const byDomain = (value: Type): Type => types.map(types.string, types.map(types.string, value));

const fields: ReadonlyMap<string, Type> = new Map([
  ["driver", types.string],
  ["attributes", byDomain(types.any)],
  ["capacity", byDomain(types.opaque("kubernetes.Quantity"))],
  ["allowMultipleAllocations", types.bool],
]);

const environment: CelEnvironment = {
  functions: kubernetesFunctions,
  bindings: true,
  variables: new Map([["device", types.struct(device)]]),
  types: {
    fieldType: (name, field) => (name === device ? fields.get(field) : undefined),
    named: (name) => (name === device ? types.struct(device) : undefined),
  },
};

export function selectorFault(expression: string): SelectorFault | undefined {
  const compiled = compiledSelector(expression);
  if (typeof compiled === "string") return { type: "wrong", message: compiled };
  return estimate(compiled.checked, sizeAt) > maxSelectorCost ? { type: "too complex" } : undefined;
}

/** The selector as a program, or the message about its fault. */
export function deviceProgram(expression: string): Program | string {
  const compiled = compiledSelector(expression);
  return typeof compiled === "string" ? compiled : compiled.program;
}

function compiledSelector(expression: string): Compiled | string {
  const compiled = compiledOrFault(expression, environment);
  if (typeof compiled === "string") return compiled;
  const { type } = compiled.checked;
  if (type.kind !== "bool" && type.kind !== "any") {
    return `must evaluate to bool or the unknown type, not ${types.resultText(type)}`;
  }
  const { fault } = compiled.program;
  return fault === undefined ? compiled : `program instantiation failed: ${fault}`;
}

/** A part of a device: its greatest size, and the parts that it is made of. */
interface Part {
  readonly size: number;
  readonly keys?: Part;
  readonly values?: Part;
  readonly fields?: Readonly<Record<string, Part>>;
}

const attribute: Part = { size: 64 };
const amount: Part = { size: 0 };
/** A device has at most 32 attributes and capacities, in domains of at most 63 bytes, with names of at most 32. */
const parts = (values: Part): Part => ({
  size: 32,
  keys: { size: 63 },
  values: { size: 32, keys: { size: 32 }, values },
});

const whole: Part = {
  size: 0,
  fields: {
    driver: { size: 63 },
    allowMultipleAllocations: { size: 1 },
    attributes: parts(attribute),
    capacity: parts(amount),
  },
};

function sizeAt([root, ...steps]: ValuePath): number | undefined {
  let part: Part | undefined = root === "device" ? whole : undefined;
  for (const step of steps) {
    if (part === undefined) return undefined;
    if (step === "@items" || step === "@values") part = part.values;
    else if (step === "@keys") part = part.keys;
    else part = own(part.fields, step) ?? (part.values === attribute ? attribute : undefined);
  }
  return part?.size;
}
