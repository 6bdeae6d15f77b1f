/** Finds the discovered resource for a person's name or an object's kind. Pure. */
import { parseGroupVersion } from "../../api/resource-type.js";
import type { Discovered, DiscoveredResource } from "./documents.js";

/** A kind as an object names it, or by its parts; without a version, the server's preferred one is meant. */
export type KindReference =
  | { readonly apiVersion: string; readonly kind: string }
  | { readonly group: string; readonly version?: string; readonly kind: string };

/** Finds a resource by its exact kind. */
export function findKind(discovered: Discovered, reference: KindReference): DiscoveredResource | undefined {
  const { kind } = reference;
  const { group, version } =
    "apiVersion" in reference ? parseGroupVersion(reference.apiVersion) : { version: undefined, ...reference };
  return preferred(
    discovered,
    discovered.resources.filter(
      (type) => type.kind === kind && type.group === group && (version === undefined || type.version === version),
    ),
  );
}

/**
 * Finds a resource by any of its names, as kubectl does: plural, singular, short name or kind, in any case, alone or as
 * `deployments.apps` or `deployments.v1.apps`. Of several groups the one that the server lists first wins.
 */
export function findName(discovered: Discovered, name: string): DiscoveredResource | undefined {
  for (const { resource, group, version } of readings(name.toLowerCase())) {
    const candidates = discovered.resources.filter(
      (type) =>
        (group === undefined || type.group === group) &&
        (version === undefined || type.version === version) &&
        type.verbs.length > 0,
    );
    for (const matches of orderOfNames) {
      const found = preferred(
        discovered,
        candidates.filter((type) => matches(type, resource)),
      );
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

const orderOfNames: readonly ((type: DiscoveredResource, name: string) => boolean)[] = [
  (type, name) => type.plural === name,
  (type, name) => type.singular === name,
  (type, name) => type.shortNames.includes(name),
  (type, name) => type.kind.toLowerCase() === name,
];

interface Reading {
  readonly resource: string;
  readonly group?: string;
  readonly version?: string;
}

/** `a.v1.b.c` may be resource a, version v1, group b.c; or resource a, group v1.b.c. */
function readings(name: string): readonly Reading[] {
  const [resource = "", ...rest] = name.split(".");
  if (rest.length === 0) return [{ resource }];
  const [version = "", ...group] = rest;
  const asGroup = { resource, group: rest.join(".") };
  return /^v\d/.test(version) ? [{ resource, version, group: group.join(".") }, asGroup] : [asGroup];
}

/** The first group in the server's order, and in it the first version. */
function preferred({ groups }: Discovered, candidates: readonly DiscoveredResource[]): DiscoveredResource | undefined {
  if (candidates.length <= 1) return candidates[0];
  for (const { name, versions } of groups) {
    for (const version of versions) {
      const found = candidates.find((type) => type.group === name && type.version === version);
      if (found !== undefined) return found;
    }
  }
  return candidates[0];
}
