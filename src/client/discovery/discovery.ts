/** The server's resources, version and schemas, asked once and kept. */
import { abortable, type Clock, type HttpResponse } from "../../base/index.js";
import { apiVersionOf } from "../../api/resource-type.js";
import { isNotFound } from "../../api/errors/status-guards.js";
import { type Exchange, readJson } from "../request/exchange.js";
import type { CallOptions } from "../request/options.js";
import type { BuiltRequest } from "../request/request.js";
import {
  type AggregatedList,
  type Discovered,
  type DiscoveredGroup,
  type DiscoveredResource,
  type DiscoveryFailure,
  fromAggregated,
  fromLegacyGroups,
  fromLegacyResources,
  isAggregated,
  type LegacyGroupList,
  type LegacyResourceList,
  merged,
} from "./documents.js";
import { findKind, findName, type KindReference } from "./rest-mapper.js";
import { own } from "../../base/members.js";
import { unless } from "../../api/errors/unless.js";
import { NoKindMatchError } from "../../api/errors/no-match.js";

export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly [field: string]: string;
}

export interface DiscoveryOptions {
  readonly exchange: Exchange;
  readonly clock: Clock;
}

const aggregated = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

/** The least time between two requests for names that were not found. */
const askAgainMs = 1_000;

/**
 * Two requests for everything if the server supports aggregated discovery; older servers are asked group by group. A
 * part that cannot be read is a failure beside the rest, never instead of it. Results are kept until `invalidate`; a
 * lookup that finds nothing asks the server once more, so that a kind that was just defined is found.
 */
export class Discovery {
  readonly #options: DiscoveryOptions;
  #known: { readonly discovered: Promise<Discovered>; readonly atMs: number } | undefined;
  /** A server in this process gives the same document until its resources change: it is parsed once. */
  readonly #parsed = new WeakMap<AggregatedList, Discovered>();

  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  /** Everything. Rejects only if the list of groups cannot be read. */
  all(options: CallOptions = {}): Promise<Discovered> {
    // shared by concurrent callers, so the signal of one caller does not end it for the others
    this.#known ??= { discovered: this.#ask(), atMs: this.#options.clock.monotonic() };
    const known = this.#known;
    known.discovered.catch(() => {
      // a failure is not kept
      if (this.#known === known) this.#known = undefined;
    });
    return options.signal === undefined ? known.discovered : abortable(known.discovered, options.signal);
  }

  invalidate(): void {
    this.#known = undefined;
  }

  /** Finds a resource by plural, singular, short name or kind, alone or with its group: `deploy`, `deployments.apps`. */
  async find(name: string, options: CallOptions = {}): Promise<DiscoveredResource> {
    const found = await this.#lookUp((discovered) => findName(discovered, name), options);
    if (found !== undefined) return found;
    throw new Error(`the server doesn't have a resource type "${name}"${await this.#hint(options)}`);
  }

  /** Rejects with a NoKindMatchError for a kind that the server does not know. */
  async findKind(reference: KindReference, options: CallOptions = {}): Promise<DiscoveredResource> {
    const found = await this.#lookUp((discovered) => findKind(discovered, reference), options);
    if (found !== undefined) return found;
    const of = "apiVersion" in reference ? `version "${reference.apiVersion}"` : `group "${reference.group}"`;
    throw new NoKindMatchError(`no matches for kind "${reference.kind}" in ${of}${await this.#hint(options)}`);
  }

  version(options: CallOptions = {}): Promise<ServerVersion> {
    return this.#get("/version", options);
  }

  /** The paths with an OpenAPI v3 document, each with the document's URL: `apis/apps/v1`. */
  async openapiPaths(options: CallOptions = {}): Promise<Readonly<Record<string, string>>> {
    const index = await this.#get<{ paths: Record<string, { serverRelativeURL: string }> }>("/openapi/v3", options);
    return Object.fromEntries(Object.entries(index.paths).map(([path, entry]) => [path, entry.serverRelativeURL]));
  }

  /** The OpenAPI v3 document of a group and version. */
  async openapi(
    type: { readonly group: string; readonly version: string },
    options: CallOptions = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const path = type.group === "" ? `api/${type.version}` : `apis/${apiVersionOf(type)}`;
    const url = own(await this.openapiPaths(options), path);
    if (url === undefined) throw new Error(`the server has no OpenAPI document for ${path}`);
    return this.#get(url, options);
  }

  async #lookUp<T>(look: (discovered: Discovered) => T | undefined, options: CallOptions): Promise<T | undefined> {
    const found = look(await this.all(options));
    if (found !== undefined) return found;
    const known = this.#known;
    if (known !== undefined && this.#options.clock.monotonic() - known.atMs < askAgainMs) return undefined;
    if (this.#known === known) this.invalidate();
    return look(await this.all(options));
  }

  async #hint(options: CallOptions): Promise<string> {
    const { failures } = await this.all(options);
    if (failures.length === 0) return "";
    return `; it could not be asked about ${failures.map(({ apiVersion }) => apiVersion).join(", ")}`;
  }

  async #ask(): Promise<Discovered> {
    const [core, groups] = await Promise.all([this.#askCore({}), this.#askGroups({})]);
    return merged(core, groups);
  }

  async #askCore(options: CallOptions): Promise<Discovered> {
    // a server of custom resources only may lack the core group
    const document = await this.#root<{ versions?: readonly string[] } | undefined>("/api", options).catch(
      unless(isNotFound),
    );
    if (isAggregated(document)) return this.#fromAggregated(document);
    return this.#askVersions([{ name: "", versions: document?.versions ?? [] }], options);
  }

  async #askGroups(options: CallOptions): Promise<Discovered> {
    const document = await this.#root<LegacyGroupList>("/apis", options);
    if (isAggregated(document)) return this.#fromAggregated(document);
    return this.#askVersions(fromLegacyGroups(document), options);
  }

  #fromAggregated(document: AggregatedList): Discovered {
    const known = this.#parsed.get(document);
    if (known !== undefined) return known;
    const discovered = fromAggregated(document);
    this.#parsed.set(document, discovered);
    return discovered;
  }

  async #askVersions(groups: readonly DiscoveredGroup[], options: CallOptions): Promise<Discovered> {
    const resources: DiscoveredResource[] = [];
    const failures: DiscoveryFailure[] = [];
    const places = groups.flatMap(({ name, versions }) => versions.map((version) => ({ group: name, version })));
    const answers = await Promise.allSettled(places.map((place) => this.#askVersion(place, options)));
    answers.forEach((answer, index) => {
      const apiVersion = apiVersionOf(places[index] as { group: string; version: string });
      if (answer.status === "fulfilled") for (const resource of answer.value) resources.push(resource);
      else failures.push({ apiVersion, error: answer.reason as Error });
    });
    return { groups, resources, failures };
  }

  async #askVersion(
    place: { readonly group: string; readonly version: string },
    options: CallOptions,
  ): Promise<readonly DiscoveredResource[]> {
    const path = place.group === "" ? `/api/${place.version}` : `/apis/${apiVersionOf(place)}`;
    const list = await this.#get<LegacyResourceList>(path, options);
    return fromLegacyResources({ ...list, groupVersion: apiVersionOf(place) });
  }

  #root<T>(path: "/api" | "/apis", options: CallOptions): Promise<T> {
    return this.#options.exchange.run(getOf(path, aggregated), options, readShared<T>);
  }

  #get<T>(path: string, options: CallOptions): Promise<T> {
    return this.#options.exchange.run(getOf(path, "application/json"), options, readJson<T>);
  }
}

const getOf = (path: string, accept: string): BuiltRequest => ({
  request: { method: "GET", path, headers: { accept } },
  title: `get ${path}`,
});

/** As `readJson`; from a server in this process the value itself, which nobody changes. */
async function readShared<T>(response: HttpResponse, maxBytes: number): Promise<T> {
  const { body, value } = response;
  const isHere = value !== undefined && body instanceof Uint8Array && body.length <= maxBytes;
  return isHere ? (value() as T) : await readJson<T>(response, maxBytes);
}
