/** Turns a verb's options into query parameters and bodies. Pure. */
import type { Exchange } from "../request/exchange.js";
import type { LeanAnswers } from "../request/lean-answers.js";
import type { DeleteOptions, ListOptions, PatchOptions, WatchOptions, WriteOptions } from "../request/options.js";
import { type Query, selectorText, type Verb } from "../request/request.js";

/** The client's defaults for every write. */
export interface WriteDefaults {
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: WriteOptions["fieldValidation"] | undefined;
}

/** The settings that the resource clients of one client share. */
export interface ResourceContext extends WriteDefaults {
  readonly exchange: Exchange;
  readonly idleTimeoutMs: number;
  /** Reads the answers of one object with less work, if present. */
  readonly lean?: LeanAnswers | undefined;
}

export function listQuery(options: ListOptions): Query {
  return {
    labelSelector: selectorText(options.labelSelector),
    fieldSelector: selectorText(options.fieldSelector),
    limit: options.limit === 0 ? undefined : options.limit,
    continue: options.continue === "" ? undefined : options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    timeoutSeconds: options.timeoutSeconds,
    shardSelector: options.shardSelector,
  };
}

export function watchQuery(options: WatchOptions): Query {
  return {
    watch: true,
    labelSelector: selectorText(options.labelSelector),
    fieldSelector: selectorText(options.fieldSelector),
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch ?? (options.sendInitialEvents ? "NotOlderThan" : undefined),
    allowWatchBookmarks: options.allowWatchBookmarks === false ? undefined : true,
    sendInitialEvents: options.sendInitialEvents,
    timeoutSeconds: options.timeoutSeconds,
    shardSelector: options.shardSelector,
  };
}

export function writeQuery(options: WriteOptions, defaults: WriteDefaults): Query {
  return {
    dryRun: options.dryRun === true ? "All" : undefined,
    fieldManager: options.fieldManager ?? defaults.fieldManager,
    fieldValidation: options.fieldValidation ?? defaults.fieldValidation,
  };
}

export function patchQuery(options: PatchOptions, defaults: WriteDefaults): Query {
  const { dryRun, fieldManager, fieldValidation } = writeQuery(options, defaults);
  return { dryRun, fieldManager, fieldValidation, force: options.force };
}

/** The body of a delete; undefined if no option needs one. */
export function deleteBody(options: DeleteOptions): Readonly<Record<string, unknown>> | undefined {
  const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions } = options;
  if (!dryRun && gracePeriodSeconds === undefined && propagationPolicy === undefined && preconditions === undefined) {
    return undefined;
  }
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
    dryRun: dryRun === true ? ["All"] : undefined,
  };
}

/** The Accept header for a form of the objects. A server that does not know the form answers with whole objects. */
export function acceptOf(verb: Verb, form: "metadata" | undefined): string | undefined {
  if (form === undefined) return undefined;
  const kind = verb === "list" ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  return `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
}
