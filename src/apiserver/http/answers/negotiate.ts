/** Chooses the form of an answer: matches the Accept header against the forms that an endpoint offers. */
import { newNotAcceptable, StatusError } from "../../../api/index.js";

type Transform = "none" | "Table" | "PartialObjectMetadata";

export interface Output {
  readonly mediaType: string;
  readonly transform: Transform;
  /** `v1` or `v1beta1` of meta.k8s.io, for a transform. */
  readonly metaVersion: string;
  /** The transform as the client named it; metadata of an object and of a list have two names. */
  readonly asked: string;
  readonly pretty: boolean;
}

export const json = "application/json";
export const yaml = "application/yaml";
export const protobuf = "application/vnd.kubernetes.protobuf";

interface Clause {
  readonly type: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

export function parseAccept(header: string): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const text of header.split(",")) {
    const [type = "", ...parts] = text.split(";").map((part) => part.trim());
    if (type === "") continue;
    const parameters = new Map(parts.map((part) => part.split("=", 2) as [string, string]));
    const quality = Number(parameters.get("q") ?? "1");
    clauses.push({ type: type.toLowerCase(), quality: Number.isFinite(quality) ? quality : 1, parameters });
  }
  // a stable sort: equals keep the order in which they were sent
  return clauses.toSorted((a, b) => b.quality - a.quality);
}

export interface Offer {
  readonly mediaTypes: readonly string[];
  /** Whether tables and metadata are offered. */
  readonly transforms: boolean;
  /** For custom kinds the error lists all media types as accepted. */
  readonly custom?: boolean;
  /** True for a collection, whose watch has the same path. */
  readonly watched?: boolean;
}

export function negotiate(accept: string | undefined, offer: Offer, query: URLSearchParams, userAgent = ""): Output {
  const plain = { transform: "none", metaVersion: "", asked: "", pretty: isPretty(query, userAgent) } as const;
  if (accept === undefined || accept.trim() === "") return { mediaType: offer.mediaTypes[0] as string, ...plain };
  // the most common request, which every endpoint can serve
  if (accept === json) return { mediaType: json, ...plain };
  const clauses = parseAccept(accept);
  for (const clause of clauses) {
    const mediaType = offer.mediaTypes.find((offered) => covers(clause.type, offered));
    if (mediaType === undefined) continue;
    const as = clause.parameters.get("as");
    if (as === undefined && !isRefused(clauses, offer)) return { mediaType, ...plain };
    const transform = transformOf(as ?? "", clause, { mediaType, offer });
    if (transform === undefined) continue;
    return { ...plain, mediaType, transform, metaVersion: clause.parameters.get("v") ?? "v1", asked: as ?? "" };
  }
  throw notAcceptable(clauses, offer);
}

/** As upstream's router, which knows whole media types only; accepted ones are checked again. */
function isRefused(clauses: readonly Clause[], { mediaTypes, custom }: Offer): boolean {
  return custom !== true && !clauses.some(({ type }) => type === "*/*" || mediaTypes.includes(type));
}

function notAcceptable(clauses: readonly Clause[], offer: Offer): StatusError {
  const types = (offer.custom ? [json, yaml, protobuf] : offer.mediaTypes).join(", ");
  if (!isRefused(clauses, offer)) return newNotAcceptable(`only the following media types are accepted: ${types}`);
  const streams = offer.watched ? `, ${json};stream=watch, ${protobuf};stream=watch` : "";
  const { status } = newNotAcceptable(`406: Not Acceptable\n\nAvailable representations: ${types}${streams}`);
  return new StatusError({ ...status, details: {} });
}

function covers(asked: string, offered: string): boolean {
  return asked === offered || asked === "*/*" || (asked.endsWith("/*") && offered.startsWith(asked.slice(0, -1)));
}

function transformOf(
  as: string,
  { parameters }: Clause,
  { mediaType, offer }: { mediaType: string; offer: Offer },
): Transform | undefined {
  const version = parameters.get("v");
  if (!offer.transforms || parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) {
    return undefined;
  }
  if (as === "Table") return mediaType === protobuf ? undefined : "Table";
  return as === "PartialObjectMetadata" || as === "PartialObjectMetadataList" ? "PartialObjectMetadata" : undefined;
}

function isPretty(query: URLSearchParams, userAgent: string): boolean {
  const asked = query.get("pretty");
  if (asked !== null) return asked !== "false" && asked !== "0";
  return /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}
