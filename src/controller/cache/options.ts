/** The options of a kind's cache and of reads from it, and the checks that find the ones that cannot be meant. */
import {
  isDns1123Label,
  type KubeObject,
  parseFieldSelector,
  parseLabelSelector,
  Quantity,
  type Selector,
} from "../../api/index.js";
import { checkOptions, messageOf, shown } from "../../base/index.js";
import type { Transform } from "../../informer/index.js";
import { checkFields } from "./projection.js";

export interface CacheOptions<T extends KubeObject = KubeObject> {
  /** The cached namespaces; all by default. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Shrinks objects before they are cached. */
  readonly transform?: Transform<T>;
  /**
   * Only these fields are cached beside the metadata, e.g. `["spec.nodeName", "status.phase"]`; a path goes through
   * lists to each of their items. A whole object is read by `client.live`.
   */
  readonly fields?: readonly string[];
  /** Only the metadata is asked for and cached. */
  readonly metadataOnly?: boolean;
  /**
   * With `fields` or `metadataOnly`: up to this much memory, e.g. "32Mi", holds whole objects that were seen or read last.
   * `client.whole` reads them, and asks the server for the others; a reconciler's own object is whole.
   */
  readonly recent?: string;
  /** With `limitCaches` of sharding: objects of all shards are cached, because reconcilers read them across namespaces. */
  readonly allShards?: boolean;
}

export interface CacheListOptions {
  readonly namespace?: string;
  readonly selector?: Selector;
}

/** A misspelt option would give all objects, without a word. */
export function checkListOptions(options: CacheListOptions): void {
  const { selector } = options;
  if (selector !== undefined && typeof selector.matches !== "function")
    throw new TypeError(`cache.list: selector must be one, as parseLabelSelector gives it, not ${shown(selector)}`);
  for (const name in Object(options)) {
    if (name !== "namespace" && name !== "selector")
      throw new TypeError(`cache.list takes { namespace, selector }, not ${shown(options)}`);
  }
}

/** Throws for options that must be mistakes: the server would answer with no object, or with an error at each attempt. */
export function checkCacheOptions<T extends KubeObject>(of: string, options: CacheOptions<T>): void {
  const rules = {
    namespaces: "list",
    labelSelector: "text",
    fieldSelector: "text",
    transform: "function",
    fields: "list",
    metadataOnly: "boolean",
    recent: "text",
    allShards: "boolean",
  } as const;
  checkOptions(options, { of, rules });
  const { namespaces, labelSelector = "", fieldSelector = "" } = options;
  checkNamespaces(`${of}: namespaces`, namespaces);
  const shrinking = (["transform", "fields", "metadataOnly"] as const).filter((name) => options[name] !== undefined);
  if (shrinking.length > 1) throw new TypeError(`${of}: ${shrinking.join(" and ")} exclude each other: choose one`);
  checkFields(of, options.fields ?? []);
  if (options.recent !== undefined) {
    bytesOf(`${of}: recent`, options.recent);
    if (options.fields === undefined && options.metadataOnly !== true)
      throw new TypeError(`${of}: recent needs fields or metadataOnly: without them whole objects are cached anyway`);
  }
  try {
    parseLabelSelector(labelSelector);
    parseFieldSelector(fieldSelector);
  } catch (error) {
    throw new TypeError(`${of}: ${messageOf(error)}`, { cause: error });
  }
}

/** The bytes that a text as `200Mi` stands for; `of` names the option in the error. */
export function bytesOf(of: string, text: string): number {
  try {
    const bytes = Number(Quantity.parse(text).value());
    if (bytes > 0) return bytes;
  } catch {
    // the sentence below says more than that of the parser
  }
  throw new TypeError(`${of} must be an amount of memory, as 200Mi, not ${shown(text)}`);
}

export function checkNamespaces(where: string, namespaces: readonly string[] | undefined): void {
  if (namespaces === undefined) return;
  const hint = "for all namespaces, leave it out";
  if (!Array.isArray(namespaces)) throw new TypeError(`${where} must be an array of names, not ${shown(namespaces)}`);
  if (namespaces.length === 0) throw new TypeError(`${where} is empty, so nothing would be seen; ${hint}`);
  for (const name of namespaces as readonly unknown[]) {
    const complaints = typeof name === "string" ? isDns1123Label(name) : ["it is no text"];
    if (complaints.length > 0)
      throw new TypeError(`${where}: ${shown(name)} names none: ${complaints.join("; ")}; ${hint}`);
  }
}
