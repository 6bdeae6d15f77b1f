import { describe, expect, test } from "vitest";
import {
  newExpired,
  newForbidden,
  isTooLargeResourceVersion,
  newGone,
  newInternalError,
  newTooLargeResourceVersion,
  newTooManyRequests,
  StatusError,
} from "../../api/index.js";
import { type Action, initialState, nextAction, type Outcome, type ReflectorRules, step } from "./state.js";

const streaming: ReflectorRules = { useWatchList: true, pageSize: 0 };
const classic: ReflectorRules = { ...streaming, useWatchList: false };
const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
const throttled = newTooManyRequests("slow down", 1);
const forbidden = newForbidden({ group: "", resource: "pods" }, "", "no");

const outcome = {
  listed: (resourceVersion = "500", paginated = false): Outcome => ({ type: "listed", resourceVersion, paginated }),
  streamed: (resourceVersion = "500"): Outcome => ({ type: "streamed", resourceVersion }),
  refused: (error: unknown): Outcome => ({ type: "refused", error }),
  ended: (error?: unknown): Outcome =>
    error === undefined
      ? { type: "ended", brief: false, veryShort: false }
      : { type: "ended", error, brief: false, veryShort: false },
  brief: { type: "ended", brief: true, veryShort: false } as Outcome,
  veryShort: { type: "ended", brief: true, veryShort: true } as Outcome,
};

/** The reflector's first action, and those after each outcome: action, requested revision, whether it waited. */
function played(rules: ReflectorRules, ...outcomes: readonly Outcome[]): string[] {
  let state = initialState(rules);
  const seen = [described(nextAction(state, rules, 300))];
  for (const each of outcomes) {
    const { state: next, report } = step(state, each, rules);
    state = next;
    seen.push(`${report === undefined ? "" : "reports, "}${described(nextAction(state, rules, 300))}`);
  }
  return seen;
}

function described(action: Action): string {
  const wait = action.afterBackoff ? "waits, " : "";
  if (action.type === "follow") return "follows";
  const { resourceVersion } = action.options;
  const limit = action.type === "list" && action.options.limit !== undefined ? ` limit ${action.options.limit}` : "";
  return `${wait}${action.type} from ${JSON.stringify(resourceVersion ?? "")}${limit}`;
}

describe("which revision a list asks for", () => {
  test('"0" if nothing was synced yet; else the last one', () => {
    expect(played(classic, outcome.listed("500"), outcome.ended(newExpired("too old")))).toEqual([
      'list from "0" limit 500',
      'watch from "500"',
      'waits, list from "500"',
    ]);
  });

  test('Expired or too large: marks the revision unavailable and lists once more at once, from ""; success clears the mark', () => {
    for (const error of [newExpired("too old"), newGone("gone"), newTooLargeResourceVersion("500", "1", 1)])
      expect(
        played(
          classic,
          outcome.listed("500"),
          outcome.ended(newExpired("too old")),
          outcome.refused(error),
          outcome.listed("7"),
          outcome.ended(newExpired("too old")),
        ).slice(2),
      ).toEqual(['waits, list from "500"', 'list from "" limit 500', 'watch from "7"', 'waits, list from "7"']);
  });

  test("Expired in a watch does not mark the revision unavailable; Expired in a list does", () => {
    const seen = played(classic, outcome.listed("500"), outcome.ended(newExpired("too old")));
    expect(seen.at(-1)).toBe('waits, list from "500"');
  });

  test("a second refusal is reported and waited for, and the mark stays", () => {
    const seen = played(classic, outcome.refused(newExpired("a")), outcome.refused(newExpired("b")));
    expect(seen.at(-1)).toBe('reports, waits, list from "" limit 500');
  });

  test("too large is recognised by the cause, or by the text of a timeout of older servers", () => {
    const timeout = (message: string): StatusError =>
      new StatusError({ ...newTooLargeResourceVersion("1", "2", 1).status, message, details: {} });
    expect(isTooLargeResourceVersion(newTooLargeResourceVersion("9", "1", 1))).toBe(true);
    expect(isTooLargeResourceVersion(timeout("Timeout: Too large resource version: 9, current: 1"))).toBe(true);
    expect(isTooLargeResourceVersion(timeout("Timeout: something else"))).toBe(false);
    expect(isTooLargeResourceVersion(newExpired("x"))).toBe(false);
  });
});

describe("paging", () => {
  test('is off when the revision is neither "" nor "0", so that the watch cache can serve', () => {
    const seen = played(
      classic,
      outcome.listed("500"),
      outcome.ended(newExpired("x")),
      outcome.refused(newExpired("x")),
    );
    expect(seen).toEqual([
      'list from "0" limit 500',
      'watch from "500"',
      'waits, list from "500"',
      'list from "" limit 500',
    ]);
  });

  test('stays on if the first list, at "0", came in pages: the watch cache is evidently off', () => {
    const seen = played(classic, outcome.listed("500", true), outcome.ended(newExpired("x")));
    expect(seen.at(-1)).toBe('waits, list from "500" limit 500');
  });

  test('is not remembered from a list at another revision than "0"', () => {
    const seen = played(
      classic,
      outcome.refused(newExpired("x")),
      outcome.listed("500", true),
      outcome.ended(newExpired("x")),
    );
    expect(seen.at(-1)).toBe('waits, list from "500"');
  });

  test("a page at a revision is asked NotOlderThan: exactly that revision would be too old for a watch, again and again", () => {
    const rules = { ...classic, pageSize: 7 };
    const { state } = step(initialState(rules), outcome.listed("500"), rules);
    const expired = step(state, outcome.ended(newExpired("x")), rules).state;
    expect(nextAction(expired, rules, 333)).toEqual({
      type: "list",
      afterBackoff: true,
      options: { resourceVersion: "500", resourceVersionMatch: "NotOlderThan", limit: 7 },
    });
  });

  test("a page size that was asked for is always used", () => {
    const seen = played({ ...classic, pageSize: 7 }, outcome.listed("500"), outcome.ended(newExpired("x")));
    expect(seen).toEqual(['list from "0" limit 7', 'watch from "500"', 'waits, list from "500" limit 7']);
  });
});

describe("the streamed list", () => {
  test('is tried first, from "" at first and from the last revision afterwards, and its stream is followed', () => {
    expect(played(streaming, outcome.streamed("500"), outcome.ended(newExpired("x")))).toEqual([
      'watch-list from ""',
      "follows",
      'waits, watch-list from "500"',
    ]);
  });

  test("asks for NotOlderThan, initial events, bookmarks and a timeout", () => {
    const action = nextAction(initialState(streaming), streaming, 333);
    expect(action).toEqual({
      type: "watch-list",
      afterBackoff: false,
      options: {
        sendInitialEvents: true,
        resourceVersionMatch: "NotOlderThan",
        allowWatchBookmarks: true,
        timeoutSeconds: 333,
      },
    });
  });

  test("connection refused or 429: one step of backoff, then the same again", () => {
    for (const error of [refused, throttled])
      expect(played(streaming, outcome.refused(error), outcome.ended(error))).toEqual([
        'watch-list from ""',
        'waits, watch-list from ""',
        'waits, watch-list from ""',
      ]);
  });

  test("Expired or too large: marks the revision unavailable and retries at once", () => {
    expect(
      played(streaming, outcome.streamed("500"), outcome.ended(new Error("broken")), outcome.refused(newExpired("x"))),
    ).toEqual(['watch-list from ""', "follows", 'waits, watch-list from "500"', 'watch-list from ""']);
  });

  test("anything else falls back to a list, for this attempt only", () => {
    for (const fault of [outcome.refused(forbidden), outcome.refused(newInternalError("x")), outcome.veryShort])
      expect(played(streaming, fault, outcome.listed("500"), outcome.ended(newExpired("x")))).toEqual([
        'watch-list from ""',
        'list from "0" limit 500',
        'watch from "500"',
        'waits, watch-list from "500"',
      ]);
  });

  test("a stream that is closed early without an error is tried anew, without delay", () => {
    expect(played(streaming, outcome.ended())).toEqual(['watch-list from ""', 'watch-list from ""']);
  });
});

describe("the watch", () => {
  const after = (...outcomes: readonly Outcome[]): string | undefined =>
    played(classic, outcome.listed("500"), ...outcomes).at(-1);

  test("clean end: reopened at once from the last revision, no backoff, no list", () => {
    expect(after(outcome.ended())).toBe('watch from "500"');
  });

  test("opening fails by refused connection or 429: one step of backoff, watch again, no list", () => {
    for (const error of [refused, throttled]) expect(after(outcome.refused(error))).toBe('waits, watch from "500"');
  });

  test("opening fails otherwise: reported, backoff, list", () => {
    expect(after(outcome.refused(forbidden))).toBe('reports, waits, list from "500"');
  });

  test("in the stream: Expired leads to a list at the known revision, without a report", () => {
    expect(after(outcome.ended(newExpired("x")))).toBe('waits, list from "500"');
  });

  test("in the stream: 429 backs off and watches again", () => {
    expect(after(outcome.ended(throttled))).toBe('waits, watch from "500"');
  });

  test("in the stream: everything else leads to a list after backoff, not returned as an error", () => {
    expect(after(outcome.ended(new Error("garbled")))).toBe('waits, list from "500"');
    expect(after(outcome.ended(newInternalError("x")))).toBe('waits, list from "500"');
  });

  test("closed within a second without any event: the way of a list", () => {
    expect(after(outcome.veryShort)).toBe('waits, list from "500"');
  });
});

test("brief streams: five in a row are followed by the next at once, further ones by a wait; one that lasts ends the row", () => {
  const brief = Array.from({ length: 7 }, () => outcome.brief);
  const afterList = played(classic, outcome.listed("1"), ...brief, outcome.ended(), outcome.brief).slice(2);
  const [watch, waited] = ['watch from "1"', 'waits, watch from "1"'];
  expect(afterList).toEqual([watch, watch, watch, watch, watch, waited, waited, watch, watch]);
});

test("the last revision moves only with what was synced", () => {
  let state = initialState(classic);
  expect(state.lastSyncResourceVersion).toBe("");
  state = step(state, outcome.listed("500"), classic).state;
  state = step(state, outcome.ended(new Error("x")), classic).state;
  expect(state.lastSyncResourceVersion).toBe("500");
});
