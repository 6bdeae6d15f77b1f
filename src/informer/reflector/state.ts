/** The reflector as pure state and steps: takes outcomes from the driver in reflector.ts, gives actions. */
import { compareRevisions, isRevision } from "../../api/index.js";
import { unreachable } from "../../base/index.js";
import type { SourceListOptions, SourceWatchOptions } from "../source/list-watch.js";
import { isExpiredOrGone, isPassing, isRevisionUnavailable } from "./failures.js";

/** The driver's next action. `afterBackoff` asks it to wait one step of its backoff first. */
export type Action =
  /** Stream the present objects into a temporary store, up to the bookmark that ends them, and keep the stream. */
  | { readonly type: "watch-list"; readonly options: SourceWatchOptions; readonly afterBackoff: boolean }
  /** List, page by page if needed, and replace the store's contents. */
  | { readonly type: "list"; readonly options: SourceListOptions; readonly afterBackoff: boolean }
  /** Open a watch and follow it to its end. */
  | { readonly type: "watch"; readonly options: SourceWatchOptions; readonly afterBackoff: boolean }
  /** Follow the stream that a watch-list left open. */
  | { readonly type: "follow"; readonly afterBackoff: false };

/** The outcome of an action. */
export type Outcome =
  /** watch-list: the store has been replaced and the stream is open. */
  | { readonly type: "streamed"; readonly resourceVersion: string }
  /** list: the store has been replaced. */
  | { readonly type: "listed"; readonly resourceVersion: string; readonly paginated: boolean }
  /** The request failed: the server refused it, or could not be reached. */
  | { readonly type: "refused"; readonly error: unknown }
  /** The stream ended. Without an error the server ended it, as it does every few minutes. */
  | {
      readonly type: "ended";
      readonly error?: unknown;
      /** True if it lasted less than a second. */
      readonly brief: boolean;
      /** True if in addition nothing came. */
      readonly veryShort: boolean;
    };

/**
 * Invariants:
 * 1. `lastSyncResourceVersion` is "" until the store has been filled once; then the store (or the queue before it) has
 *    every change up to this revision, so that a watch may continue from it.
 * 2. `revisionUnavailable` is set only between a failed and the next successful list.
 * 3. `briefStreams` counts the streams in a row that lasted less than a second.
 */
export interface ReflectorState {
  readonly lastSyncResourceVersion: string;
  readonly revisionUnavailable: boolean;
  /** True if a list at revision "0" came in pages: the server has no watch cache, so paging costs it nothing extra. */
  readonly paginatedResult: boolean;
  readonly next: "watch-list" | "list" | "watch" | "follow";
  readonly afterBackoff: boolean;
  readonly briefStreams: number;
}

export interface ReflectorRules {
  /** Whether to ask for the initial objects as a stream. */
  readonly useWatchList: boolean;
  /** Forces the size of a page; 0 leaves the choice to the rules. */
  readonly pageSize: number;
}

const defaultPageSize = 500;

/** This many brief streams in a row are accepted as bad luck; after more, there is a pause before each attempt. */
const toleratedBriefStreams = 5;

export function initialState(rules: ReflectorRules): ReflectorState {
  return {
    lastSyncResourceVersion: "",
    revisionUnavailable: false,
    paginatedResult: false,
    next: rules.useWatchList ? "watch-list" : "list",
    afterBackoff: false,
    briefStreams: 0,
  };
}

export function nextAction(state: ReflectorState, rules: ReflectorRules, timeoutSeconds: number): Action {
  const { afterBackoff } = state;
  switch (state.next) {
    case "watch-list":
      return {
        type: "watch-list",
        afterBackoff,
        options: {
          // "" (consistent) at first, unlike the classic list, whose first revision is "0" (perhaps stale)
          ...(state.revisionUnavailable || state.lastSyncResourceVersion === ""
            ? {}
            : { resourceVersion: state.lastSyncResourceVersion }),
          resourceVersionMatch: "NotOlderThan",
          sendInitialEvents: true,
          allowWatchBookmarks: true,
          timeoutSeconds,
        },
      };
    case "list":
      return { type: "list", afterBackoff, options: listOptions(state, rules) };
    case "watch":
      return {
        type: "watch",
        afterBackoff,
        options: {
          resourceVersion: state.lastSyncResourceVersion,
          allowWatchBookmarks: true,
          timeoutSeconds,
        },
      };
    case "follow":
      return { type: "follow", afterBackoff: false };
    default:
      return unreachable(state.next);
  }
}

/** "0" for the first list, the last revision afterwards, "" only if the server does not have that one (any more). */
function relistResourceVersion(state: ReflectorState): string {
  if (state.revisionUnavailable) return "";
  return state.lastSyncResourceVersion === "" ? "0" : state.lastSyncResourceVersion;
}

function listOptions(state: ReflectorState, rules: ReflectorRules): SourceListOptions {
  const resourceVersion = relistResourceVersion(state);
  // with a revision other than "" and "0", a limit would keep the server from answering from its watch cache
  const mayPage = state.paginatedResult || resourceVersion === "" || resourceVersion === "0";
  const limit = rules.pageSize > 0 ? rules.pageSize : mayPage ? defaultPageSize : 0;
  return {
    ...(resourceVersion === "" ? {} : { resourceVersion }),
    ...(limit === 0 ? {} : { limit }),
    // otherwise a page is of exactly this revision, and the watch that follows would be too old again, for ever
    ...(limit === 0 || resourceVersion === "" || resourceVersion === "0"
      ? {}
      : { resourceVersionMatch: "NotOlderThan" as const }),
  };
}

/** `report` is an error for the watch error handler, because the attempt as a whole failed. */
export interface ReflectorStep {
  readonly state: ReflectorState;
  readonly report?: unknown;
}

export function step(state: ReflectorState, outcome: Outcome, rules: ReflectorRules): ReflectorStep {
  switch (outcome.type) {
    case "streamed":
      return { state: synced(state, outcome.resourceVersion, "follow") };
    case "listed": {
      const atZero = relistResourceVersion(state) === "0";
      const paginatedResult = state.paginatedResult || (atZero && outcome.paginated);
      return { state: { ...synced(state, outcome.resourceVersion, "watch"), paginatedResult } };
    }
    case "refused":
      return afterRefusal(state, outcome, rules);
    case "ended":
      return afterEnd(state, outcome, rules);
    default:
      return unreachable(outcome);
  }
}

/**
 * The state after the stream delivered changes up to this revision. Neither a late event nor one without a revision
 * moves the reflector back.
 */
export function advanced(state: ReflectorState, resourceVersion: string): ReflectorState {
  const { lastSyncResourceVersion: last } = state;
  const isNoNews =
    resourceVersion === "" ||
    (isRevision(last) && (!isRevision(resourceVersion) || compareRevisions(resourceVersion, last) <= 0));
  return isNoNews ? state : { ...state, lastSyncResourceVersion: resourceVersion };
}

function synced(state: ReflectorState, resourceVersion: string, next: ReflectorState["next"]): ReflectorState {
  return {
    ...state,
    lastSyncResourceVersion: resourceVersion,
    revisionUnavailable: false,
    next,
    afterBackoff: false,
  };
}

function afterRefusal(
  state: ReflectorState,
  { error }: Outcome & { type: "refused" },
  rules: ReflectorRules,
): ReflectorStep {
  switch (state.next) {
    case "watch-list":
      return { state: afterFailedStream(state, error) };
    case "list":
      // one more attempt at once, with any revision that the server has
      if (isRevisionUnavailable(error) && !state.revisionUnavailable)
        return { state: { ...state, revisionUnavailable: true, afterBackoff: false } };
      return { state: startOver(markedIfUnavailable(state, error), rules), report: error };
    case "watch":
      if (isPassing(error)) return { state: { ...state, afterBackoff: true } };
      return { state: startOver(state, rules), report: error };
    case "follow":
      throw new Error("an open stream cannot be refused");
    default:
      return unreachable(state.next);
  }
}

/** The fallback from streaming to listing is for this attempt only: the next one streams again. */
function afterFailedStream(state: ReflectorState, error: unknown): ReflectorState {
  if (isPassing(error)) return { ...state, afterBackoff: true };
  if (isRevisionUnavailable(error) && !state.revisionUnavailable)
    return { ...state, revisionUnavailable: true, afterBackoff: false };
  return { ...state, next: "list", afterBackoff: false };
}

function afterEnd(before: ReflectorState, outcome: Outcome & { type: "ended" }, rules: ReflectorRules): ReflectorStep {
  const { error, veryShort, brief } = outcome;
  const state = { ...before, briefStreams: brief ? before.briefStreams + 1 : 0 };
  const afterBackoff = state.briefStreams > toleratedBriefStreams;
  if (state.next === "watch-list") {
    if (veryShort) return { state: { ...state, next: "list", afterBackoff: false } };
    return { state: error === undefined ? { ...state, afterBackoff } : afterFailedStream(state, error) };
  }
  // a clean end costs nothing: the next watch continues where this one stopped
  if (error === undefined && !veryShort) return { state: { ...state, next: "watch", afterBackoff } };
  // an expired revision is not marked: the list is first tried at the known revision
  if (veryShort || isExpiredOrGone(error)) return { state: startOver(state, rules) };
  if (isPassing(error)) return { state: { ...state, next: "watch", afterBackoff: true } };
  return { state: startOver(state, rules) };
}

/** The state in which everything is listed anew, at once. */
export function relisting(state: ReflectorState, rules: ReflectorRules): ReflectorState {
  return { ...startOver(state, rules), afterBackoff: false };
}

function startOver(state: ReflectorState, rules: ReflectorRules): ReflectorState {
  return { ...state, next: rules.useWatchList ? "watch-list" : "list", afterBackoff: true };
}

function markedIfUnavailable(state: ReflectorState, error: unknown): ReflectorState {
  return isRevisionUnavailable(error) ? { ...state, revisionUnavailable: true } : state;
}
