/** List: one consistent state of a collection, whole or in pages, at the revision that the options ask for. */
import { defined } from "../../../base/defined.js";
import { cooperative } from "../../../base/index.js";
import { newBadRequest, newTooLargeResourceVersion, newExpired, StatusError, newNotFound } from "../../../api/index.js";
import { type Page, RevisionError, type Stored } from "../../storage/contract.js";
import { type Endpoint, resourceOf, storageKey, type View } from "../../contracts/endpoint.js";
import { type ListQuery, parseListRevision, parseRevision } from "./list-options.js";
import type { Machinery, RequestScope } from "../../contracts/scope.js";
import { type Selection, selectionFor } from "./selection.js";
import { loaded } from "../views.js";

export interface Listed {
  readonly revision: number;
  readonly items: readonly Stored[];
  readonly continue: string | undefined;
  readonly remaining: number | undefined;
}

interface Token {
  readonly v: "meta.k8s.io/v1";
  /** -1 means: continue at the latest revision. */
  readonly rv: number;
  readonly start: string;
}

/** The longest wait for a revision of the future. */
const futureWaitMs = 3000;

export async function getObject(
  endpoint: Endpoint,
  {
    namespace,
    name,
    resourceVersion,
  }: { readonly namespace: string; readonly name: string; readonly resourceVersion: string },
  scope: RequestScope,
): Promise<View> {
  const { store } = scope.machinery;
  if (resourceVersion !== "" && resourceVersion !== "0") {
    await reached(scope.machinery, parseRevision(resourceVersion), scope.signal);
  }
  // the handler waits until the absence itself is on disk, as for every refusal
  const stored = store.get(endpoint.collection, storageKey(namespace, name));
  if (stored === undefined) throw newNotFound(resourceOf(endpoint), name);
  if (stored.revision > store.settledRevision) await store.settled(stored.revision);
  await loaded(endpoint, [stored], scope.signal);
  return endpoint.view(stored);
}

export async function listObjects(
  endpoint: Endpoint,
  namespace: string,
  { options, scope }: { readonly options: ListQuery; readonly scope: RequestScope },
): Promise<Listed> {
  const { store } = scope.machinery;
  const selection = selectionFor(endpoint, options);
  const prefix = namespace === "" ? "" : `${namespace}/`;
  const { revision, from, limit } = await startOf(options, { prefix, scope });
  const range = { collection: endpoint.collection, prefix, ...defined({ revision }) };
  try {
    const page = selection.isEverything
      ? store.list({ ...range, from, ...(limit > 0 ? { limit } : {}) })
      : await filtered(scope, { ...range, from, limit }, { endpoint, selection });
    if (page.revision > store.settledRevision) await store.settled(page.revision);
    await loaded(endpoint, page.items, scope.signal);
    const last = page.items.at(-1);
    const more = page.more && last !== undefined;
    const token = more
      ? encodeToken({ v: "meta.k8s.io/v1", rv: page.revision, start: `${last.key.slice(prefix.length)}\0` })
      : undefined;
    const counts = more && selection.isEverything;
    return {
      revision: page.revision,
      items: page.items,
      continue: token,
      remaining: counts ? page.remaining : undefined,
    };
  } catch (error) {
    throw error instanceof RevisionError ? expired(error, options, from.slice(prefix.length)) : error;
  }
}

type Start = { readonly revision: number | undefined; readonly from: string; readonly limit: number };

async function startOf(
  options: ListQuery,
  { prefix, scope }: { readonly prefix: string; readonly scope: RequestScope },
): Promise<Start> {
  const { resourceVersion, resourceVersionMatch: match, limit } = options;
  if (options.continue !== "") {
    const token = decodeToken(options.continue);
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw newBadRequest("specifying resource version is not allowed when using continue");
    }
    return { revision: token.rv === -1 ? undefined : token.rv, from: prefix + token.start, limit };
  }
  if (resourceVersion === "") return { revision: undefined, from: "", limit };
  if (resourceVersion === "0") return { revision: undefined, from: "", limit: 0 };
  const wanted = parseListRevision(resourceVersion);
  await reached(scope.machinery, wanted, scope.signal);
  // a limit with a bare version has meant exactly this version since before resourceVersionMatch existed
  const exact = match === "Exact" || (match === "" && limit > 0);
  return { revision: exact ? Number(wanted) : undefined, from: "", limit };
}

/**
 * With selectors, pages are filled with matches. The remaining count would need a scan of everything, so it is left
 * out; the scan runs in slices.
 */
async function filtered(
  { machinery: { store, clock }, signal }: RequestScope,
  range: { collection: string; prefix: string; from: string; limit: number; revision?: number },
  { endpoint, selection }: { readonly endpoint: Endpoint; readonly selection: Selection },
): Promise<Page> {
  const { limit, ...all } = range;
  const page = store.list(all);
  if (selection.needsView) await loaded(endpoint, page.items, signal);
  const items: Stored[] = [];
  const slice = cooperative({ clock });
  for (const [i, stored] of page.items.entries()) {
    if (slice.due()) await slice.pause();
    if (selection.matches(stored)) items.push(stored);
    if (limit > 0 && items.length === limit) {
      return { revision: page.revision, items, more: i < page.items.length - 1, remaining: 0 };
    }
  }
  return { revision: page.revision, items, more: false, remaining: 0 };
}

/** Waits until the store has reached the revision: a client may have seen it on another server. */
export async function reached({ store, clock }: Machinery, revision: bigint, signal: AbortSignal): Promise<void> {
  const deadline = clock.monotonic() + futureWaitMs;
  while (store.revision < revision) {
    if (clock.monotonic() >= deadline) throw newTooLargeResourceVersion(String(revision), String(store.revision), 1);
    await clock.sleep(50, signal);
  }
}

function encodeToken(token: Token): string {
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

function decodeToken(text: string): Token {
  const wrong = (why: string): StatusError =>
    newBadRequest(`invalid continue token: continue key is not valid: ${why}`);
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    throw wrong("illegal base64 data or invalid JSON");
  }
  // Go reads null as a token without fields
  const { v, rv, start } = (typeof decoded === "object" && decoded !== null ? decoded : {}) as Partial<Token>;
  if (v !== "meta.k8s.io/v1") throw wrong(`server does not recognize this encoded version ${String(v ?? "")}`);
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0) {
    throw wrong("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  if (typeof start !== "string" || start === "") {
    throw wrong("encoded start key empty (version meta.k8s.io/v1)");
  }
  if (start.split("/").includes("..")) throw wrong(start);
  return { v, rv, start };
}

const expiredToken =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

function expired(error: RevisionError, options: ListQuery, start: string): StatusError {
  if (error.failure === "future") return newTooLargeResourceVersion(String(error.revision), String(error.bound), 1);
  if (options.continue === "") return newExpired(`The resourceVersion for the provided list is too old.`);
  const { status } = newExpired(expiredToken);
  return new StatusError({
    ...status,
    metadata: { continue: encodeToken({ v: "meta.k8s.io/v1", rv: -1, start }) },
  });
}
