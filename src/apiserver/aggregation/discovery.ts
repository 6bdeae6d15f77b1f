/**
 * Reads the discovery documents of another server: takes bytes that may be anything, gives the resources of one version
 * in the form of aggregated discovery. Pure.
 */
import { asText, isRecord } from "../../base/members.js";
import { defined, unlessEmpty } from "../../base/defined.js";

type Json = Readonly<Record<string, unknown>>;

/** The forms in which servers list all of their groups; older ones know the second alone, or none. */
export const aggregatedForms: readonly string[] = ["v2", "v2beta1"].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
);

/** A longer list is cut, so that one server cannot swell the document that all clients read. */
const maxResources = 1_000;

export function isAggregated(contentType: string): boolean {
  const parts = contentType.split(";").map((part) => part.trim());
  return parts.includes("g=apidiscovery.k8s.io") && parts.includes("as=APIGroupDiscoveryList");
}

/** Undefined if the document does not list the version. Throws if it is no such document. */
export function entriesInAggregated(text: string, group: string, version: string): readonly object[] | undefined {
  const { kind, items } = jsonObject(JSON.parse(text)) ?? {};
  if (kind !== "APIGroupDiscoveryList") throw new Error(`the document is no APIGroupDiscoveryList`);
  for (const item of listOf(items)) {
    if (jsonObject(item["metadata"])?.["name"] !== group) continue;
    const found = listOf(item["versions"]).find((one) => one["version"] === version);
    if (found !== undefined) return listOf(found["resources"]).slice(0, maxResources).flatMap(entryOf);
  }
  return undefined;
}

/** Throws if the text is no APIResourceList. */
export function entriesInPlain(text: string): readonly object[] {
  const { kind, resources } = jsonObject(JSON.parse(text)) ?? {};
  if (kind !== "APIResourceList") throw new Error(`the document is no APIResourceList`);
  const all = listOf(resources).slice(0, maxResources);
  return all
    .filter(({ name }) => typeof name === "string" && !name.includes("/"))
    .flatMap((one) => plainEntry(one, all));
}

function plainEntry(resource: Json, all: readonly Json[]): readonly object[] {
  const inPlain = ({ group, version, kind }: Json): Json => ({ group, version, kind });
  const prefix = `${String(resource["name"])}/`;
  const below = all.filter(({ name }) => typeof name === "string" && name.startsWith(prefix));
  return entryOf({
    ...resource,
    resource: resource["name"],
    responseKind: inPlain(resource),
    scope: resource["namespaced"] === true ? "Namespaced" : "Cluster",
    singularResource: resource["singularName"],
    subresources: below.map((one) => ({
      subresource: String(one["name"]).slice(prefix.length),
      responseKind: inPlain(one),
      verbs: one["verbs"],
    })),
  });
}

/** The known fields of a resource, each if it has its type; none if the resource has no name. */
function entryOf(resource: Json): readonly object[] {
  const name = asText(resource["resource"]);
  if (name === "") return [];
  const subresources = listOf(resource["subresources"]).flatMap((one) => {
    const sub = asText(one["subresource"]);
    if (sub === "") return [];
    const acceptedTypes = listOf(one["acceptedTypes"]).map(kindOf);
    const accepted = acceptedTypes.length > 0 ? { acceptedTypes } : {};
    const verbs = textsOf(one["verbs"]);
    return [{ subresource: sub, responseKind: kindOf(jsonObject(one["responseKind"]) ?? {}), ...accepted, verbs }];
  });
  const [shortNames, categories] = [textsOf(resource["shortNames"]), textsOf(resource["categories"])];
  return [
    {
      resource: name,
      responseKind: kindOf(jsonObject(resource["responseKind"]) ?? {}),
      scope: resource["scope"] === "Namespaced" ? "Namespaced" : "Cluster",
      singularResource: asText(resource["singularResource"]),
      verbs: textsOf(resource["verbs"]),
      ...defined({
        shortNames: unlessEmpty(shortNames),
        categories: unlessEmpty(categories),
        subresources: unlessEmpty(subresources),
      }),
    },
  ];
}

const kindOf = ({ group, version, kind }: Json): object => ({
  group: asText(group),
  version: asText(version),
  kind: asText(kind),
});

export function jsonObject(value: unknown): Json | undefined {
  return isRecord(value) ? (value as Json) : undefined;
}

const listOf = (value: unknown): readonly Json[] =>
  (Array.isArray(value) ? (value as readonly unknown[]) : [])
    .map((one) => jsonObject(one))
    .filter((one) => one !== undefined);

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? (value as readonly unknown[]) : []).filter((one) => typeof one === "string");
