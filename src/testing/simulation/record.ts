/**
 * The record of one history: every request, watch event, fault and start or end of the operator, in order. Takes
 * entries; gives text.
 */
import type { HttpRequest } from "../../base/index.js";
import { lookup } from "../../base/members.js";
import { explainEntry, type JournalEntry } from "../../controller/index.js";

/** The author of a request: a replica of the operator, the scenario, or the simulation itself when it plays another user. */
export type Actor = `operator-${number}` | "scenario" | "somebody";

/** The address and the purpose of a request to the server. */
export interface Target {
  readonly verb: "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "other";
  /** `group/resource`, or the resource alone in the core group; the path for anything else. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** "" for a collection. */
  readonly name: string;
}

export type Entry =
  | {
      readonly type: "request";
      readonly atMs: number;
      readonly actor: Actor;
      readonly target: Target;
      /** The number of this write among the operator's writes, from 0; undefined for reads and for writes of other actors. */
      readonly write?: number;
      /** The HTTP status, or the reason why no answer came. */
      readonly outcome: number | string;
      /** The revision of the object in the answer; "" if there is none. */
      readonly revision: string;
      /** True if the write changed the server's state. False for reads, refusals, and writes that change nothing. */
      readonly changed: boolean;
    }
  | {
      readonly type: "event";
      readonly atMs: number;
      readonly actor: Actor;
      readonly event: string;
      readonly resource: string;
      readonly kind: string;
      readonly key: string;
      readonly revision: string;
      /** The number of this event among all that the operator was sent, from 0. */
      readonly number: number;
    }
  | { readonly type: "reconcile"; readonly atMs: number; readonly actor: Actor; readonly run: JournalEntry }
  | { readonly type: "fault"; readonly atMs: number; readonly text: string }
  | { readonly type: "life"; readonly atMs: number; readonly text: string };

/** The outcome of a request whose process was killed. */
export const killedOutcome = "the process was killed";

const verbs: Readonly<Record<string, Target["verb"]>> = lookup({
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
});

/** Reads the address of a request as the server would. */
export function targetOf({ method, path }: Pick<HttpRequest, "method" | "path">): Target {
  const [pathname = "", query = ""] = path.split("?");
  const parts = pathname.split("/").filter((part) => part !== "");
  const isCore = parts[0] === "api";
  const other: Target = { verb: "other", resource: pathname, subresource: "", namespace: "", name: "" };
  if (!isCore && parts[0] !== "apis") return other;
  let rest = parts.slice(isCore ? 2 : 3);
  let namespace = "";
  if (rest[0] === "namespaces" && rest.length > 2 && rest[2] !== "status" && rest[2] !== "finalize") {
    namespace = decodeURIComponent(rest[1] ?? "");
    rest = rest.slice(2);
  }
  const [plural, name = "", subresource = ""] = rest;
  if (plural === undefined) return other;
  const verb = verbs[method] ?? "other";
  const isRead = verb === "get" && name === "";
  return {
    verb: isRead ? (/(?:^|&)watch=(?:true|1)(?:&|$)/.test(query) ? "watch" : "list") : verb,
    resource: isCore ? plural : `${parts[1] ?? ""}/${plural}`,
    subresource,
    namespace,
    name: decodeURIComponent(name),
  };
}

export const isWrite = ({ verb }: Target): boolean =>
  verb === "create" || verb === "update" || verb === "patch" || verb === "delete";

/** Events and leases come and go without a change of the world that the operator answers for: no oracle counts them. */
export const isBookkeeping = ({ resource }: Target): boolean =>
  resource === "events" ||
  resource === "events.k8s.io/events" ||
  resource === "coordination.k8s.io/leases" ||
  resource === "coordination.k8s.io/leasecandidates" ||
  resource.startsWith("authorization.k8s.io/") ||
  resource.startsWith("authentication.k8s.io/");

function describeTarget({ verb, resource, subresource, namespace, name }: Target): string {
  const place = [namespace, name].filter((part) => part !== "").join("/");
  return `${verb} ${resource}${subresource === "" ? "" : `/${subresource}`}${place === "" ? "" : ` ${place}`}`;
}

/** One line, as a story prints it. */
export function describeEntry(entry: Entry): string {
  const time = `${(entry.atMs / 1000).toFixed(3).padStart(9)} s`;
  switch (entry.type) {
    case "request": {
      const { actor, target, outcome, revision, write, changed } = entry;
      const number = write === undefined ? "" : ` (write ${write}${changed || outcome !== 200 ? "" : ", no change"})`;
      return `${time}  ${actor}: ${describeTarget(target)} → ${outcome}${revision === "" ? "" : ` @${revision}`}${number}`;
    }
    case "event":
      return `${time}  ${entry.actor} sees ${entry.event} ${entry.resource} ${entry.key} @${entry.revision} (event ${entry.number})`;
    case "reconcile":
      return `${time}  ${entry.actor} ${explainEntry(entry.run).split("\n").join("\n             ")}`;
    case "fault":
      return `${time}  FAULT ${entry.text}`;
    case "life":
      return `${time}  ${entry.text}`;
  }
}

/** Invariant: entries are in the order in which they happened. */
export class HistoryRecord {
  readonly entries: Entry[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get nowMs(): number {
    return this.#nowMs();
  }

  add(entry: Entry): void {
    this.entries.push(entry);
  }

  life(text: string): void {
    this.add({ type: "life", atMs: this.nowMs, text });
  }

  fault(text: string): void {
    this.add({ type: "fault", atMs: this.nowMs, text });
  }
}
