/** Asks the server behind an APIService for its documents: its resources, and its parts of both forms of OpenAPI. */
import { createHash } from "node:crypto";
import { defined } from "../../base/defined.js";
import { type Clock, inSlices, messageOf } from "../../base/index.js";
import { deepEqual } from "../../api/index.js";
import type { RemoteOpenApiV3, RemoteVersion } from "../contracts/served.js";
import { encodeOpenApiV2, openApiPart, openApiV3Path } from "../openapi/index.js";
import type { Backend } from "../outbound/forward.js";
import { ask, type Told } from "./ask.js";
import { aggregatedForms, entriesInAggregated, entriesInPlain, isAggregated, jsonObject } from "./discovery.js";
import { discoveryPath, type RemoteService } from "./remote-service.js";

/** The documents of one APIService, with the tags by which the server is asked whether they have changed. */
export interface Documents {
  readonly version: RemoteVersion;
  /** The tag of the list of groups. */
  readonly etag?: string | undefined;
  /** The tag of the OpenAPI v2 document, and the hash of its bytes. */
  readonly openApi?: { readonly etag: string | undefined; readonly hash: string } | undefined;
  /** Why the list of resources could not be read. */
  readonly fault?: string;
}

export interface ReadingOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  backend(): Backend;
}

const listLimit = { limitBytes: 4 * 1024 * 1024, limitMs: 5_000 } as const;
/** A document of this length is parsed in one go. */
const openApiLimit = { limitBytes: 8 * 1024 * 1024, limitMs: 30_000 } as const;

/** Of a server that does not answer, the known documents stay, marked as not current. Never rejects. */
export async function readDocuments(
  remote: RemoteService,
  known: Documents | undefined,
  options: ReadingOptions,
): Promise<Documents> {
  try {
    const listed = await readResources(remote, known, options);
    // a server without usable OpenAPI documents is listed all the same
    const ownV3 = await readOpenApiV3(remote, options).catch(() => undefined);
    const openApi = await readOpenApi(remote, known, options).catch(() => undefined);
    const fromV2 = openApi && ({ source: "v2", hash: openApi.known.hash } as const);
    const described = { ...defined({ openApiV3: ownV3 === "none" ? fromV2 : ownV3 }), ...openApi?.version };
    return {
      version: { entries: listed.entries, current: true, ...described },
      etag: listed.etag,
      openApi: openApi?.known,
    };
  } catch (error) {
    const version = known?.version ?? { entries: [] };
    return { ...known, version: { ...version, current: false }, fault: messageOf(error) };
  }
}

interface Listed {
  readonly entries: readonly object[];
  readonly etag: string | undefined;
}

async function readResources(
  remote: RemoteService,
  known: Documents | undefined,
  { backend, ...running }: ReadingOptions,
): Promise<Listed> {
  const { group, version } = remote;
  const etag = known?.version.current === true ? known.etag : undefined;
  const accept = aggregatedForms.join(",");
  const told = await ask(backend(), { path: "/apis", accept, etag, ...listLimit }, running);
  if (told.status === 304 && known !== undefined) return { entries: known.version.entries, etag };
  if (told.status === 503) throw new Error("the server is unavailable");
  if (told.status === 200 && isAggregated(headerOf(told, "content-type") ?? "")) {
    const entries = entriesInAggregated(textOf(told), group, version) ?? [];
    return { entries, etag: headerOf(told, "etag") };
  }
  const path = discoveryPath(remote);
  const plain = await ask(backend(), { path, accept: "application/json", ...listLimit }, running);
  if (plain.status !== 200) throw new Error(`${path} is answered with status ${plain.status}`);
  return { entries: entriesInPlain(textOf(plain)), etag: undefined };
}

/** The server's OpenAPI v3 document about the version; "none" if it has no such documents. Documents about other versions are ignored. */
async function readOpenApiV3(
  remote: RemoteService,
  { backend, ...running }: ReadingOptions,
): Promise<RemoteOpenApiV3 | "none" | undefined> {
  const accept = "application/json";
  const told = await ask(backend(), { path: "/openapi/v3", accept, ...openApiLimit }, running);
  if (told.status === 404) return "none";
  if (told.status !== 200) return undefined;
  const paths = jsonObject(jsonObject(JSON.parse(textOf(told)))?.["paths"]) ?? {};
  const name = openApiV3Path(remote.group, remote.version);
  const listed = Object.hasOwn(paths, name) ? jsonObject(paths[name]) : undefined;
  if (listed === undefined) return undefined;
  const { serverRelativeURL: url } = listed;
  const hash = /\?hash=([0-9A-Za-z]{1,128})$/.exec(typeof url === "string" ? url : "")?.[1] ?? "";
  return { source: "own", hash };
}

interface Read {
  readonly version: Pick<RemoteVersion, "openApi">;
  readonly known: NonNullable<Documents["openApi"]>;
}

async function readOpenApi(
  remote: RemoteService,
  known: Documents | undefined,
  { backend, ...running }: ReadingOptions,
): Promise<Read | undefined> {
  const [before, was] = [known?.version.openApi, known?.openApi];
  const asked = { path: "/openapi/v2", accept: "application/json", etag: was?.etag, ...openApiLimit };
  const told = await ask(backend(), asked, running);
  const same = before && was && { version: { openApi: before }, known: was };
  if (told.status === 304) return same;
  if (told.status !== 200) return undefined;
  const hash = createHash("sha256").update(told.bytes).digest("hex");
  if (same !== undefined && was?.hash === hash) return same;
  const document = jsonObject(JSON.parse(textOf(told))) ?? {};
  const openApi = openApiPart(document, discoveryPath(remote));
  // a part that cannot be encoded must not spoil the whole document, so it is tried here
  await inSlices(encodeOpenApiV2({ swagger: "2.0", ...openApi } as never), { clock: running.clock });
  return { version: { openApi }, known: { etag: headerOf(told, "etag"), hash } };
}

const textOf = ({ bytes }: Told): string => Buffer.from(bytes).toString();

function headerOf({ headers }: Told, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Whether clients would see a difference. */
export const sameDocuments = (a: Documents | undefined, b: Documents | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && deepEqual(a.version, b.version));
