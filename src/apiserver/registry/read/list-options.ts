/** ListOptions of a list or watch: parsed from the query, and checked against each other as upstream does. */
import {
  fieldPath,
  type FieldSelector,
  newBadRequest,
  newFailure,
  newInvalid,
  parseFieldSelector,
  parseLabelSelector,
  type Selector,
  type StatusCause,
} from "../../../api/index.js";
import { parseQueryBool } from "../write/delete-options.js";

export interface ListQuery {
  readonly labels: Selector;
  readonly fields: FieldSelector;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  /** "" if none was sent. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number | undefined;
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

/** Throws a 400 for a malformed option, and a 422 for options that exclude each other. */
export function listOptions(query: URLSearchParams, verb: "list" | "watch"): ListQuery {
  const sent = parseListOptions(query);
  // as upstream, which looks for `watch` in the query of any verb
  const isWatch = verb === "watch" || sent.watch;
  const options = isWatch ? withInitialEvents(sent) : sent;
  const errors = [...(isWatch ? watchErrors(options) : listErrors(options))];
  if (errors.length > 0) throw newInvalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
  return options;
}

function parseListOptions(query: URLSearchParams): ListQuery {
  const initial = query.get("sendInitialEvents");
  const timeoutSeconds = integer(query, "timeoutSeconds");
  const limit = Math.max(integer(query, "limit") ?? 0, 0);
  return {
    labels: selector(() => parseLabelSelector(query.get("labelSelector") ?? "")),
    fields: selector(() => parseFieldSelector(query.get("fieldSelector") ?? "")),
    watch: parseQueryBool(query.get("watch")),
    allowWatchBookmarks: parseQueryBool(query.get("allowWatchBookmarks")),
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: query.get("resourceVersionMatch") ?? "",
    timeoutSeconds,
    limit,
    continue: query.get("continue") ?? "",
    sendInitialEvents: initial === null ? undefined : parseQueryBool(initial),
  };
}

/** A watch from no version in particular begins with the present objects, as if it had asked for them. */
function withInitialEvents(options: ListQuery): ListQuery {
  const { sendInitialEvents, resourceVersionMatch: match, resourceVersion } = options;
  if (sendInitialEvents !== undefined || match !== "" || (resourceVersion !== "" && resourceVersion !== "0"))
    return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[-+]?\d+$/.test(text))
    throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  if (BigInt.asIntN(64, BigInt(text)) !== BigInt(text))
    throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return Number(text);
}

function selector<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    // the wire has the parser's reason without the position
    const { reason, message } = error as Error & { readonly reason?: string };
    throw newBadRequest(reason ?? message);
  }
}

const matches = ["Exact", "NotOlderThan", ""];
const matchAt = fieldPath("resourceVersionMatch");

function* listErrors(options: ListQuery): Iterable<StatusCause> {
  const { sendInitialEvents, resourceVersionMatch: match, resourceVersion } = options;
  if (match !== "") {
    if (resourceVersion === "") {
      yield matchAt.forbidden("resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (options.continue !== "") {
      yield matchAt.forbidden("resourceVersionMatch is forbidden when continue is provided");
    }
    if (!matches.includes(match)) yield matchAt.notSupported(match, matches);
    if (match === "Exact" && resourceVersion === "0") {
      yield matchAt.forbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
    }
  }
  if (sendInitialEvents !== undefined) {
    yield fieldPath("sendInitialEvents").forbidden("sendInitialEvents is forbidden for list");
  }
}

function* watchErrors(options: ListQuery): Iterable<StatusCause> {
  const { sendInitialEvents, resourceVersionMatch: match } = options;
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    yield matchAt.forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (match !== "" && sendInitialEvents === undefined) {
    yield matchAt.forbidden("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  }
  if (match !== "" && match !== "NotOlderThan") yield matchAt.notSupported(match, ["NotOlderThan"]);
  if (match !== "" && options.continue !== "") {
    yield matchAt.forbidden("resourceVersionMatch is forbidden when continue is provided");
  }
}

const wrongRevision = (text: string): string =>
  `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${/^\d+$/.test(text) ? "value out of range" : "invalid syntax"}`;

/** The revision in a get or watch. As upstream, text that is not a decimal of 64 bits is refused with a 500. */
export function parseRevision(text: string): bigint {
  const revision = revisionIn(text);
  if (revision !== undefined) return revision;
  throw newFailure({ message: wrongRevision(text), code: 500 });
}

/** The revision in a list, for which malformed text is a 400. */
export function parseListRevision(text: string): bigint {
  const revision = revisionIn(text);
  if (revision !== undefined) return revision;
  throw newBadRequest(`invalid resource version: ${wrongRevision(text)}`);
}

function revisionIn(text: string): bigint | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const revision = BigInt(text);
  return BigInt.asUintN(64, revision) === revision ? revision : undefined;
}
