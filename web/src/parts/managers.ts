/** Tells which field manager set which field: takes an object's managedFields, gives managers by the path of a field. Pure. */

interface Entry {
  readonly manager?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: Tree;
}

interface Tree {
  readonly [step: string]: Tree;
}

export interface Manager {
  readonly name: string;
  readonly time: string;
}

/** Paths are like `spec.containers[0].image`; a path that nobody manages by itself is missing. */
export function managersOf(object: unknown): ReadonlyMap<string, readonly Manager[]> {
  const found = new Map<string, Manager[]>();
  const { metadata } = Object(object) as { readonly metadata?: { readonly managedFields?: readonly Entry[] } };
  for (const { manager = "?", subresource, time = "", fieldsV1 = {} } of metadata?.managedFields ?? []) {
    const name = subresource === undefined ? manager : `${manager} (${subresource})`;
    walk(object, fieldsV1, "", (path) => {
      const known = found.get(path);
      if (known === undefined) found.set(path, [{ name, time }]);
      else known.push({ name, time });
    });
  }
  return found;
}

function walk(value: unknown, fields: Tree, path: string, tell: (path: string) => void): void {
  const steps = Object.keys(fields).filter((step) => step !== ".");
  if (steps.length === 0 || Object.hasOwn(fields, ".")) tell(path);
  for (const step of steps) {
    const at = placeOf(value, step);
    if (at !== undefined) walk(at.value, fields[step] ?? {}, `${path}${at.path(path)}`, tell);
  }
}

/** The member that a step of a set of fields means: a field, an item by its keys, by its value or by its place. */
function placeOf(value: unknown, step: string): { readonly value: unknown; path(before: string): string } | undefined {
  const rest = step.slice(2);
  if (step.startsWith("f:")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, rest)) return undefined;
    const inner = (value as Readonly<Record<string, unknown>>)[rest];
    return { value: inner, path: (before) => (before === "" ? rest : `.${rest}`) };
  }
  if (!Array.isArray(value)) return undefined;
  const index = indexOf(value, step[0] ?? "", rest);
  return index < 0 ? undefined : { value: value[index], path: () => `[${index}]` };
}

function indexOf(list: readonly unknown[], type: string, rest: string): number {
  if (type === "i") return Number(rest);
  const wanted: unknown = JSON.parse(rest);
  if (type === "v") return list.findIndex((item) => JSON.stringify(item) === JSON.stringify(wanted));
  const keys = Object.entries(Object(wanted) as Readonly<Record<string, unknown>>);
  return list.findIndex((item) =>
    keys.every(([key, is]) => (Object(item) as Readonly<Record<string, unknown>>)[key] === is),
  );
}
