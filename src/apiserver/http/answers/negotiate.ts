/** Chooses the form of an answer: matches the Accept header against the forms that an endpoint offers. */
import { newNotAcceptable, StatusError } from "../../../api/index.js";
import { lookup } from "../../../base/members.js";
import { cborMediaType, cborStream, protobufMediaType } from "../../codec/index.js";

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

/** The media types of watches, by the media type of the objects in them; YAML has no form for a stream. */
const streams: Readonly<Record<string, string>> = lookup({
  [json]: `${json};stream=watch`,
  [protobufMediaType]: `${protobufMediaType};stream=watch`,
  [cborMediaType]: cborStream,
});

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
    const parameters = new Map(parts.map((part) => part.split("=", 2).map((one) => one.trim()) as [string, string]));
    const quality = Number(parameters.get("q") ?? "1");
    clauses.push({ type, quality: Number.isFinite(quality) ? quality : 1, parameters });
  }
  // a stable sort: equals keep the order in which they were sent
  return clauses.toSorted((a, b) => b.quality - a.quality);
}

export interface Offer {
  readonly mediaTypes: readonly string[];
  /** All media types of the server: those of metadata, and those that the error about a custom kind lists. */
  readonly served: readonly string[];
  /** Whether tables and metadata are offered. */
  readonly transforms: boolean;
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
  if (isRefused(clauses, offer)) throw notAcceptable(clauses, offer);
  for (const { type, parameters } of clauses) {
    if ((parameters.get("stream") || "watch") !== "watch") continue;
    if (!["as", "g", "v"].some((name) => parameters.get(name))) {
      const mediaType = offer.mediaTypes.find((offered) => covers(type, offered));
      if (mediaType !== undefined) return { mediaType, ...plain };
      continue;
    }
    const transform = offer.transforms ? transformOf(parameters) : undefined;
    if (transform === undefined) continue;
    const mediaType = offer.served.find((offered) => covers(type, offered) && carries(transform, offered));
    if (mediaType === undefined) continue;
    return {
      ...plain,
      mediaType,
      transform,
      metaVersion: parameters.get("v") ?? "",
      asked: parameters.get("as") ?? "",
    };
  }
  throw notAcceptable(clauses, offer);
}

/** As upstream's router, which knows whole media types only; accepted ones are checked again. */
function isRefused(clauses: readonly Clause[], { mediaTypes, custom }: Offer): boolean {
  return custom !== true && !clauses.some(({ type }) => type === "*/*" || mediaTypes.includes(type));
}

function notAcceptable(clauses: readonly Clause[], offer: Offer): StatusError {
  const types = (offer.custom ? offer.served : offer.mediaTypes).join(", ");
  if (!isRefused(clauses, offer)) return newNotAcceptable(`only the following media types are accepted: ${types}`);
  const watched = offer.watched ? `, ${streamTypes(offer.served)}` : "";
  const { status } = newNotAcceptable(`406: Not Acceptable\n\nAvailable representations: ${types}${watched}`);
  return new StatusError({ ...status, details: {} });
}

const streamTypes = (served: readonly string[]): string => served.flatMap((type) => streams[type] ?? []).join(", ");

/** The content type of a watch whose objects have this media type; throws 406 if there is none. */
export function streamOf(mediaType: string, served: readonly string[]): string {
  // clients have always been told the type of the objects
  if (mediaType === json) return json;
  const stream = streams[mediaType];
  if (stream !== undefined) return stream;
  throw newNotAcceptable(`only the following media types are accepted: ${streamTypes(served)}`);
}

function covers(asked: string, offered: string): boolean {
  return asked === offered || asked === "*/*" || (asked.endsWith("/*") && offered.startsWith(asked.slice(0, -1)));
}

function transformOf(parameters: Clause["parameters"]): Transform | undefined {
  const version = parameters.get("v");
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  const as = parameters.get("as");
  if (as === "Table") return "Table";
  return as === "PartialObjectMetadata" || as === "PartialObjectMetadataList" ? "PartialObjectMetadata" : undefined;
}

/** Metadata has a form in every media type, also that of custom objects. */
const carries = (transform: Transform, mediaType: string): boolean =>
  transform !== "Table" || (mediaType !== protobufMediaType && mediaType !== cborMediaType);

function isPretty(query: URLSearchParams, userAgent: string): boolean {
  const asked = query.get("pretty");
  if (asked !== null) return asked !== "false" && asked !== "0";
  return /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}
