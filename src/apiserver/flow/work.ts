/** Takes a request and the state of the server; gives the seats that the request occupies, and for how long after its answer. */
import { parseFieldSelector } from "../../api/index.js";
import type { ResourceRequest, RequestInfo } from "../contracts/request.js";

/** The rules and figures are those of kube-apiserver 1.36 (its work estimators). */
export interface Work {
  /** Occupied while the request is answered. */
  readonly seats: number;
  /** Occupied afterwards for `lingerMs`, for the events that the request causes. */
  readonly finalSeats: number;
  readonly lingerMs: number;
}

/** A request occupies the larger number of seats for all its time. */
export const widthOf = ({ seats, finalSeats }: Work): number => Math.max(seats, finalSeats);

/** The assumed time of a request whose real time is not known yet. */
const serviceMs = 3;

export const serviceWork = (seats: number, ms: number = serviceMs): number => seats * ms;

/** Seat-milliseconds that the request is expected to take. */
export const totalWork = ({ seats, finalSeats, lingerMs }: Work): number => serviceWork(seats) + finalSeats * lingerMs;

const mostSeats = 10;
const bytesPerSeat = 100_000;
/** A list is sent as it is made, so a long one does not occupy more memory than this at once. */
const mostListBytes = 1_000_000;
const watchersPerSeat = 10;
const eventMs = 5;

export interface Surroundings {
  readonly query: URLSearchParams;
  /** The objects of the request's collection; undefined if it is not known. */
  stored(): { readonly count: number; readonly averageBytes: number } | undefined;
  /** The number of watchers that may be told of a change. */
  watchers(): number;
  /** Limit on the seats of one request, by its priority level. */
  readonly mostSeats: number;
}

const one: Work = { seats: 1, finalSeats: 0, lingerMs: 0 };

export function workOf(info: RequestInfo, around: () => Surroundings): Work {
  if (info.type === "other") return one;
  switch (info.verb) {
    case "list":
    case "watch":
      return listWork(info, around());
    case "create":
    case "update":
    case "patch":
    case "delete":
      return info.resource === "serviceaccounts" && info.subresource === "token" ? one : changeWork(around());
    default:
      return one;
  }
}

function listWork({ verb, name }: ResourceRequest, { query, mostSeats: most, ...around }: Surroundings): Work {
  if (name !== "" || (verb === "watch" && !beginsWithState(query))) return one;
  const stored = around.stored();
  if (stored === undefined) return one;
  const limit = Number(query.get("limit") ?? 0);
  const objects = limit > 0 ? Math.min(limit, stored.count) : stored.count;
  const bytes = Math.min(objects * stored.averageBytes, mostListBytes);
  return { ...one, seats: clamp(Math.ceil(bytes / bytesPerSeat), Math.min(most, mostSeats)) };
}

/** Whether a watch begins with the objects that exist. */
function beginsWithState(query: URLSearchParams): boolean {
  const version = query.get("resourceVersion") ?? "";
  return query.get("sendInitialEvents") === "true" || version === "" || version === "0";
}

function changeWork({ mostSeats: most, ...around }: Surroundings): Work {
  const watchers = around.watchers();
  if (watchers < watchersPerSeat) return one;
  const wanted = Math.ceil(watchers / watchersPerSeat);
  const finalSeats = clamp(wanted, Math.min(most, mostSeats));
  return { seats: 1, finalSeats, lingerMs: (wanted * eventMs) / finalSeats };
}

const clamp = (seats: number, most: number): number => Math.max(1, Math.min(seats, most));

/**
 * Counts the open watches, by the objects that they are about.
 * Invariant: no count is 0.
 */
export class WatchCounts {
  readonly #counts = new Map<string, number>();

  /** Disposing ends the watch. */
  open(info: ResourceRequest, query: URLSearchParams): Disposable {
    // nearly all watches of one node's pods hear nothing of a change
    if (info.resource === "pods" && watchesOneNode(query)) return { [Symbol.dispose]: () => {} };
    const id = idOf(info, info.namespace, info.name);
    this.#add(id, 1);
    let isOpen = true;
    return {
      [Symbol.dispose]: () => {
        if (isOpen) this.#add(id, -1);
        isOpen = false;
      },
    };
  }

  /** The number of watches that may be told of a change by this request. */
  interestedIn(info: RequestInfo): number {
    if (info.type === "other" || this.#counts.size === 0) return 0;
    const { namespace, name } = info;
    let count = this.#counts.get(idOf(info, "", "")) ?? 0;
    if (namespace !== "") count += this.#counts.get(idOf(info, namespace, "")) ?? 0;
    if (name !== "") count += this.#counts.get(idOf(info, namespace, name)) ?? 0;
    return count;
  }

  #add(id: string, by: number): void {
    const count = (this.#counts.get(id) ?? 0) + by;
    if (count === 0) this.#counts.delete(id);
    else this.#counts.set(id, count);
  }
}

const idOf = ({ group, resource }: ResourceRequest, namespace: string, name: string): string =>
  `${group}/${resource}/${namespace}/${name}`;

function watchesOneNode(query: URLSearchParams): boolean {
  const selector = query.get("fieldSelector") ?? "";
  if (selector === "") return false;
  try {
    return (parseFieldSelector(selector).exactMatch("spec.nodeName") ?? "") !== "";
  } catch {
    return false;
  }
}
