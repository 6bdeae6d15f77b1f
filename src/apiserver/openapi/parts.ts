/** The parts of other servers in this server's OpenAPI v2 document: cuts them out, and puts them in. Pure. */
import { deepEqual } from "../../api/index.js";
import type { OpenApiPart } from "../contracts/served.js";
import { type OpenApiV2, sorted } from "./v2.js";
import { asText, isRecord } from "../../base/members.js";

type Json = Readonly<Record<string, unknown>>;

const prefix = "#/definitions/";

/** Deeper documents are refused, so that all code that walks through them may recurse. */
const maxDepth = 100;

/**
 * The paths under `root` with the definitions that they need, and, as upstream, the definitions that no path needs.
 * Throws if the document is not in the form of one.
 */
export function openApiPart(document: Json, root: string): OpenApiPart {
  const [paths, definitions] = [membersOf(document, "paths"), membersOf(document, "definitions")];
  targetsIn(definitions);
  const own = Object.entries(paths).filter(([path]) => path === root || path.startsWith(`${root}/`));
  const needed = neededBy(Object.fromEntries(own), definitions);
  const elsewhere = neededBy(paths, definitions);
  const kept = Object.entries(definitions).filter(([name]) => needed.has(name) || !elsewhere.has(name));
  return { info: infoOf(document), paths: Object.fromEntries(own), definitions: Object.fromEntries(kept) };
}

function infoOf({ info }: Json): OpenApiPart["info"] {
  const { title, version } = isRecord(info) ? info : {};
  return { title: asText(title), version: asText(version) };
}

function neededBy(value: object, definitions: Readonly<Record<string, object>>): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = targetsIn(value);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name) || !Object.hasOwn(definitions, name)) continue;
    found.add(name);
    for (const target of targetsIn(definitions[name] as object)) waiting.push(target);
  }
  return found;
}

function membersOf(document: Json, name: string): Readonly<Record<string, object>> {
  const members = document[name] ?? {};
  if (!isRecord(members) || !Object.values(members).every(isRecord)) throw new Error(`${name} is no map of objects`);
  return members as Readonly<Record<string, object>>;
}

/** The names of the definitions to which a value refers. Throws if the value is too deep. */
function targetsIn(value: object): string[] {
  const targets: string[] = [];
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new Error(`the document is nested more than ${maxDepth} levels deep`);
    const next: object[] = [];
    for (const one of level) {
      for (const [name, member] of Object.entries(one) as [string, unknown][]) {
        if (name === "$ref" && typeof member === "string" && member.startsWith(prefix)) {
          targets.push(member.slice(prefix.length));
        } else if (typeof member === "object" && member !== null) next.push(member);
      }
    }
    level = next;
  }
  return targets;
}

/** The document with the parts. A path that is there already stays; a definition of a taken name gets another name. */
export function withParts(document: OpenApiV2, parts: readonly OpenApiPart[]): OpenApiV2 {
  let { paths, definitions } = document;
  for (const part of parts) {
    const names = newNames(part, definitions);
    const renamed = Object.entries(part.definitions).map(([name, one]) => [
      names.get(name) ?? name,
      rename(one, names),
    ]);
    definitions = { ...(Object.fromEntries(renamed) as OpenApiV2["definitions"]), ...definitions };
    paths = { ...(rename(part.paths, names) as OpenApiV2["paths"]), ...paths };
  }
  return { ...document, paths: sorted(paths), definitions: sorted(definitions) };
}

/** New names for the definitions that differ from one of the same name, or lead to one that does. */
function newNames({ definitions }: OpenApiPart, taken: Readonly<Record<string, object>>): ReadonlyMap<string, string> {
  const isTaken = (name: string): boolean => Object.hasOwn(taken, name) || Object.hasOwn(definitions, name);
  const names = new Map<string, string>();
  const add = (name: string): void => {
    let count = 2;
    while (isTaken(`${name}_v${count}`)) count++;
    names.set(name, `${name}_v${count}`);
  };
  const shared = Object.keys(definitions).filter((name) => Object.hasOwn(taken, name));
  for (const name of shared) if (!deepEqual(definitions[name], taken[name])) add(name);
  for (let before = -1; before !== names.size; ) {
    before = names.size;
    for (const name of shared) {
      if (!names.has(name) && targetsIn(definitions[name] as object).some((target) => names.has(target))) add(name);
    }
  }
  return names;
}

function rename(value: object, names: ReadonlyMap<string, string>): object {
  if (names.size === 0) return value;
  const inner = (member: unknown): unknown =>
    typeof member === "object" && member !== null ? rename(member, names) : member;
  if (Array.isArray(value)) return value.map(inner);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      if (name !== "$ref" || typeof member !== "string") return [name, inner(member)];
      const target = member.startsWith(prefix) ? names.get(member.slice(prefix.length)) : undefined;
      return [name, target === undefined ? member : `${prefix}${target}`];
    }),
  );
}
