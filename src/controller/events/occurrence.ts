/** An occurrence: a recorder's report, before it becomes an Event of either API. */
import { isDns1123Subdomain, type KubeObject, type ObjectReference } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import type { Random } from "../../base/index.js";

export type EventType = "Normal" | "Warning";

/** The reporter: a controller on a host. */
export interface EventReporter {
  readonly component: string;
  readonly host: string;
}

/** Something that happened to an object, worth telling its owner. */
export interface Occurrence {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  /** The action that the reporter took, or failed to take. */
  readonly action: string;
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly reporter: EventReporter;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The name of the Event that is made of it, if one is. */
  readonly name: string;
}

/** Events about objects without a namespace go here. */
export const defaultNamespace = "default";

/**
 * The reference to an object; a reference is one already. Undefined if kind or version is missing: items of typed lists
 * lack them.
 */
export function referenceTo(object: KubeObject | ObjectReference): ObjectReference | undefined {
  if (typeof object !== "object" || object === null) return undefined;
  if (!("metadata" in object)) return object.kind ? object : undefined;
  const { apiVersion, kind, metadata } = object;
  if (!apiVersion || !kind) return undefined;
  const { namespace, name, uid, resourceVersion } = metadata;
  return defined({ kind, namespace, name, uid, apiVersion, resourceVersion });
}

/**
 * Makes names of Events: `<object>.<nanoseconds in hex>`, or a UUID if that is no valid name. No two are the same;
 * because clocks count milliseconds, each maker starts at another offset, so that two makers hardly ever use one name
 * for one object.
 */
export function eventNames(random: Random): (objectName: string, atMs: number) => string {
  const offset = BigInt(random.int(1_000_000));
  let previous = 0n;
  return (objectName, atMs) => {
    const nanoseconds = BigInt(Math.floor(atMs)) * 1_000_000n + offset;
    previous = nanoseconds > previous ? nanoseconds : previous + 1n;
    const name = `${objectName}.${previous.toString(16)}`;
    return isDns1123Subdomain(name).length === 0 ? name : uuid(random);
  };
}

function uuid(random: Random): string {
  const bytes = Array.from({ length: 16 }, () => random.int(256));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
