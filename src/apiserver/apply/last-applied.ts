/**
 * The annotation in which client-side `kubectl apply` keeps its last configuration: read and updated when kubectl moves
 * to server-side apply.
 */
import { parseExactJson, sortedJson } from "../../api/values/exact-json.js";
import { isRecord } from "../../base/members.js";
import type { KubeObject } from "../../api/index.js";
import { compareTyped } from "./merge/compare.js";
import { fieldsOf } from "./merge/fields.js";
import { difference, type PathSet, union } from "./merge/path-set.js";
import { type ApplyType } from "./merge/types.js";
import { problemsOf } from "./merge/validate.js";

const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
/** Limit on the annotations of one object, keys and values together. */
const maxAnnotationBytes = 256 * 1024;

/**
 * The fields that client-side apply set and that still have the values it gave them; undefined without the annotation.
 */
export function fieldsOfLastApplied(live: KubeObject, apiVersion: string, type: ApplyType): PathSet | undefined {
  const text = live.metadata.annotations?.[lastAppliedAnnotation];
  if (!text) return undefined;
  let lastApplied: unknown;
  try {
    lastApplied = parseExactJson(text);
  } catch {
    return undefined;
  }
  if (!isRecord(lastApplied) || lastApplied["apiVersion"] !== apiVersion) return undefined;
  if (problemsOf(lastApplied, type) !== undefined || problemsOf(live, type) !== undefined) return undefined;
  const { added, modified, removed } = compareTyped(lastApplied, live, type);
  return difference(fieldsOf(lastApplied, type), union(union(modified, added), removed));
}

/**
 * Updates the annotation, if it is there, to the configuration that was applied, so that a return to client-side apply
 * finds it.
 */
export function withLastApplied(object: KubeObject, applied: KubeObject): KubeObject {
  const annotations = object.metadata.annotations;
  if (!annotations?.[lastAppliedAnnotation]) return object;
  const next: Record<string, string> = { ...annotations, [lastAppliedAnnotation]: lastAppliedText(applied) };
  let size = 0;
  for (const [key, value] of Object.entries(next)) size += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (size > maxAnnotationBytes) delete next[lastAppliedAnnotation];
  return { ...object, metadata: { ...object.metadata, annotations: next } };
}

function lastAppliedText(applied: KubeObject): string {
  const { annotations } = applied.metadata;
  if (annotations === undefined) return `${sortedJson(applied)}\n`;
  const { [lastAppliedAnnotation]: _, ...others } = annotations;
  return `${sortedJson({ ...applied, metadata: { ...applied.metadata, annotations: others } })}\n`;
}
