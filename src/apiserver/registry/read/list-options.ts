/** ListOptions of a list or watch: parsed from the query, and checked against each other as upstream does. */
import { fieldPath, newBadRequest, newInvalid, type StatusCause, newFailure } from "../../../api/index.js";
import { parseQueryBool } from "../write/delete-options.js";

export interface ListQuery {
  readonly labelSelector: string;
  readonly fieldSelector: string;
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

export function parseListOptions(query: URLSearchParams): ListQuery {
  const initial = query.get("sendInitialEvents");
  return {
    labelSelector: query.get("labelSelector") ?? "",
    fieldSelector: query.get("fieldSelector") ?? "",
    watch: parseQueryBool(query.get("watch")),
    allowWatchBookmarks: parseQueryBool(query.get("allowWatchBookmarks")),
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: query.get("resourceVersionMatch") ?? "",
    timeoutSeconds: integer(query, "timeoutSeconds"),
    limit: Math.max(integer(query, "limit") ?? 0, 0),
    continue: query.get("continue") ?? "",
    sendInitialEvents: initial === null ? undefined : parseQueryBool(initial),
  };
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^[-+]?\d+$/.test(text))
    throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  if (BigInt.asIntN(64, BigInt(text)) !== BigInt(text))
    throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return Number(text);
}

/** Throws a 422 for invalid combinations. */
export function checkListOptions(options: ListQuery, isWatch: boolean): void {
  const errors = isWatch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw newInvalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
}

const matches = ["Exact", "NotOlderThan", ""];

function listErrors({
  sendInitialEvents,
  resourceVersionMatch: match,
  resourceVersion,
  continue: token,
}: ListQuery): StatusCause[] {
  const errors: StatusCause[] = [];
  if (match !== "") {
    if (resourceVersion === "") {
      errors.push(
        fieldPath("resourceVersionMatch").forbidden(
          "resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
      );
    }
    if (token !== "")
      errors.push(
        fieldPath("resourceVersionMatch").forbidden("resourceVersionMatch is forbidden when continue is provided"),
      );
    if (!matches.includes(match)) errors.push(fieldPath("resourceVersionMatch").notSupported(match, matches));
    if (match === "Exact" && resourceVersion === "0") {
      errors.push(
        fieldPath("resourceVersionMatch").forbidden(
          'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        ),
      );
    }
  }
  if (sendInitialEvents !== undefined) {
    errors.push(fieldPath("sendInitialEvents").forbidden("sendInitialEvents is forbidden for list"));
  }
  return errors;
}

function watchErrors({ sendInitialEvents, resourceVersionMatch: match, continue: token }: ListQuery): StatusCause[] {
  const at = fieldPath("resourceVersionMatch");
  const errors: StatusCause[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    errors.push(at.forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (match !== "" && sendInitialEvents === undefined) {
    errors.push(at.forbidden("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (match !== "" && match !== "NotOlderThan") errors.push(at.notSupported(match, ["NotOlderThan"]));
  // upstream reports this even if resourceVersionMatch is not set
  if (token !== "") {
    errors.push(at.forbidden("resourceVersionMatch is forbidden when continue is provided"));
  }
  return errors;
}

const wrongRevision = (text: string): string =>
  `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${/^\d+$/.test(text) ? "value out of range" : "invalid syntax"}`;

/** The revision in a get or watch. As upstream, text that is not a decimal is refused with a 500. */
export function parseRevision(text: string): number {
  if (/^\d{1,20}$/.test(text)) return Number(text);
  const message = wrongRevision(text);
  throw newFailure({ message, code: 500 });
}

/** The revision in a list, for which malformed text is a 400. */
export function parseListRevision(text: string): number {
  if (/^\d{1,20}$/.test(text)) return Number(text);
  throw newBadRequest(`invalid resource version: ${wrongRevision(text)}`);
}
