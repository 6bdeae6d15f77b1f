/** The names of custom kinds within a group: each belongs to one definition. */
import type { CustomResourceDefinition } from "../../api/index.js";
import type { Registry } from "../registry/registry.js";

/**
 * The owners of names in each group: resource names (plural, singular, short) and kinds. The owner is a definition's
 * name, or "" for a built-in kind.
 */
export interface AcceptedNames {
  owner(group: string, sort: "resource" | "kind", name: string): string | undefined;
  add(definition: CustomResourceDefinition): void;
  /** The same names, without those of this definition. */
  without(definition: CustomResourceDefinition): AcceptedNames;
}

export interface NameConflict {
  readonly reason: string;
  readonly message: string;
}

export function namesInUse(registry: Registry): AcceptedNames {
  const owners = new Map<string, string>();
  for (const { served, custom } of registry.endpoints()) {
    if (custom) continue;
    for (const name of [served.plural, served.singular, ...served.shortNames])
      owners.set(`${served.group} resource ${name}`, "");
    for (const kind of [served.kind, served.listKind]) owners.set(`${served.group} kind ${kind}`, "");
  }
  return namesOver(owners);
}

function namesOver(owners: Map<string, string>): AcceptedNames {
  return {
    owner: (group, sort, name) => owners.get(`${group} ${sort} ${name}`),
    add({ metadata, spec: { group, names } }) {
      for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) {
        if (name) owners.set(`${group} resource ${name}`, metadata.name);
      }
      for (const kind of [names.kind, names.listKind]) if (kind) owners.set(`${group} kind ${kind}`, metadata.name);
    },
    without: ({ metadata }) => namesOver(new Map([...owners].filter(([, owner]) => owner !== metadata.name))),
  };
}

/** Undefined if every name is free or belongs to the definition itself. */
export function nameConflict(
  { metadata, spec: { group, names } }: CustomResourceDefinition,
  taken: AcceptedNames,
): NameConflict | undefined {
  const foreign = (sort: "resource" | "kind", name: string | undefined): boolean => {
    const owner = name ? taken.owner(group, sort, name) : undefined;
    return owner !== undefined && owner !== metadata.name;
  };
  const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`;
  if (foreign("resource", names.plural)) return { reason: "PluralConflict", message: inUse(names.plural) };
  if (foreign("resource", names.singular)) return { reason: "SingularConflict", message: inUse(names.singular ?? "") };
  const short = (names.shortNames ?? []).find((name) => foreign("resource", name));
  if (short !== undefined) return { reason: "ShortNamesConflict", message: inUse(short) };
  if (foreign("kind", names.kind)) return { reason: "KindConflict", message: inUse(names.kind) };
  if (foreign("kind", names.listKind)) return { reason: "ListKindConflict", message: inUse(names.listKind ?? "") };
  return undefined;
}
