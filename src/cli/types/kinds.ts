/** Definitions from files or a cluster: takes texts or a client, gives the kinds to write types for, in a fixed order. */
import { CustomResourceDefinition } from "../../api/index.js";
import { YamlError, yamlToJson } from "../../api/yaml/index.js";
import { isRecord } from "../../base/members.js";
import type { Client } from "../../client/index.js";
import type { ForeignKind } from "./write-types.js";

const apiVersion = "apiextensions.k8s.io/v1";

/** All definitions in a text of one or more documents; other objects are passed over. */
export function definitionsIn(text: string, where: string): readonly CustomResourceDefinition[] {
  const found = text
    .split(/^---(?:[ \t].*)?$/m)
    .filter((part) => /^[^#\s]/m.test(part))
    .flatMap((part) => objectsIn(part, where))
    .filter(({ kind }) => kind === "CustomResourceDefinition");
  if (found.length === 0) throw new Error(`${where} has no CustomResourceDefinition`);
  return found.map((one) => checked(one, where));
}

function objectsIn(text: string, where: string): readonly Readonly<Record<string, unknown>>[] {
  let value: unknown;
  try {
    value = JSON.parse(yamlToJson(text).json);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const hint = text.includes("{{") ? "; it looks like a template of Helm: give the output of helm template" : "";
    throw new Error(`${where} is not YAML: ${error.message}${hint}`, { cause: error });
  }
  if (!isRecord(value)) return [];
  return Array.isArray(value["items"]) ? value["items"].filter(isRecord) : [value];
}

/** A server refuses other definitions, but nobody has judged a file. The kind becomes a name in the text. */
function checked(object: Readonly<Record<string, unknown>>, where: string): CustomResourceDefinition {
  const { spec, metadata } = object as unknown as Partial<CustomResourceDefinition>;
  const name = `${where}: ${typeof metadata?.name === "string" ? metadata.name : "a definition"}`;
  if (object["apiVersion"] !== apiVersion)
    throw new Error(`${name} is of ${String(object["apiVersion"])}; only ${apiVersion} is known`);
  if (!Array.isArray(spec?.versions) || typeof spec.names?.kind !== "string" || typeof spec.names.plural !== "string")
    throw new Error(`${name} has no spec.names or no spec.versions`);
  if (!/^[A-Za-z](?:[-A-Za-z0-9]*[A-Za-z0-9])?$/.test(spec.names.kind))
    throw new Error(`${name}: ${JSON.stringify(spec.names.kind)} is no kind`);
  if (typeof spec.group !== "string") throw new Error(`${name} has no spec.group`);
  for (const version of spec.versions as readonly unknown[]) {
    if (!isRecord(version) || typeof version["name"] !== "string")
      throw new Error(`${name} has a version without a name`);
    const { schema } = version;
    const whole = isRecord(schema) ? schema["openAPIV3Schema"] : undefined;
    checkSchema(whole ?? {}, `${name}: the schema of ${version["name"]}`);
  }
  return object as unknown as CustomResourceDefinition;
}

/** Limit on the depth of a schema, as of YAML. */
const maxDepth = 500;

/** Throws if a member that the types are made of is not of its own type. */
function checkSchema(schema: unknown, where: string, depth = 0): void {
  const wrong = (what: string): Error => new Error(`${where} is malformed: ${what}`);
  if (!isRecord(schema)) throw wrong("a schema is an object");
  if (depth > maxDepth) throw wrong(`it has more than ${maxDepth} levels`);
  const { properties = {}, required = [], description = "", enum: values = [], items, additionalProperties } = schema;
  if (typeof description !== "string") throw wrong("a description is a text");
  if (!Array.isArray(required) || !Array.isArray(values)) throw wrong("required and enum are lists");
  if (!isRecord(properties)) throw wrong("properties are an object");
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items])];
  for (const one of inner) checkSchema(one, where, depth + 1);
  if (isRecord(additionalProperties)) checkSchema(additionalProperties, where, depth + 1);
}

/** The named definitions of a cluster, or all of them. */
export async function definitionsOf(
  client: Pick<Client, "resource">,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly CustomResourceDefinition[]> {
  const definitions = client.resource(CustomResourceDefinition);
  const found =
    names.length > 0
      ? await Promise.all(names.map((name) => definitions.get(name, { signal })))
      : (await definitions.list({ signal })).items;
  if (found.length === 0) throw new Error("the cluster has no CustomResourceDefinition");
  return found.map((one) => checked({ ...one, apiVersion }, "the cluster"));
}

/** The kinds in their version, sorted by name, each with a name of its own. */
export function kindsIn(definitions: readonly CustomResourceDefinition[], version?: string): readonly ForeignKind[] {
  const sorted = definitions.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const kinds = new Map<string, number>();
  const wordOf = ({ spec }: CustomResourceDefinition): string => spec.names.kind.replaceAll("-", "");
  for (const one of sorted) kinds.set(wordOf(one), (kinds.get(wordOf(one)) ?? 0) + 1);
  return sorted.map((definition) => {
    const kind = wordOf(definition);
    // two groups may have a kind of one name: then the group is part of the name
    const isShared = (kinds.get(kind) ?? 0) > 1;
    const [first = ""] = definition.spec.group.split(".");
    const prefix = isShared ? (first[0] ?? "").toUpperCase() + first.slice(1).replaceAll(/[^A-Za-z0-9]/g, "") : "";
    return { definition, version: versionOf(definition, version), name: `${prefix}${kind}` };
  });
}

const nameOf = ({ spec }: CustomResourceDefinition): string => `${spec.names.kind} ${spec.group}`;

/** The wanted version, or else the most stable one that is served: v2 before v1, v1 before v1beta1. */
function versionOf({ spec, metadata }: CustomResourceDefinition, wanted: string | undefined): string {
  const served = spec.versions.filter((one) => one.served).map(({ name }) => name);
  if (wanted !== undefined && !served.includes(wanted))
    throw new Error(`${metadata.name} does not serve ${wanted}; it serves ${served.join(", ") || "no version"}`);
  const [best] = served.toSorted((a, b) => (stability(a) < stability(b) ? 1 : -1));
  if (best === undefined) throw new Error(`${metadata.name} serves no version`);
  return wanted ?? best;
}

/** Grows with the stability of a version, as text. */
function stability(name: string): string {
  const [, major, level, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name) ?? [];
  const rank = major === undefined ? 0 : level === undefined ? 3 : level === "beta" ? 2 : 1;
  return [rank, major ?? 0, minor ?? 0].map((part) => String(part).padStart(9, "0")).join();
}
