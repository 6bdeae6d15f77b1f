/** Calls the author's function for an object: the finalizer's clean-up or the reconciler. */
import { isDeleting, type KubeObject } from "../../api/index.js";
import { checkNumber, shown } from "../../base/index.js";
import { addFinalizer, hasFinalizer, removeFinalizer } from "../authoring/finalizers.js";
import type { ControllerOptions } from "../options.js";
import type { Reconcile, ReconcileResult } from "../reconcile.js";
import type { ReconcileContextOf } from "./context.js";

/**
 * The author's result, if it is valid; otherwise throws an error that names controller and key, because it is the
 * author's mistake.
 */
export function checkedResult(
  result: ReconcileResult | void,
  { controller, key }: { readonly controller: string; readonly key: string },
): ReconcileResult | undefined {
  if (result === undefined || result === null) return undefined;
  const where = `controller ${controller} returned for ${key}`;
  const members = isPlain(result) ? Object.keys(result) : undefined;
  if (members === undefined || members.some((name) => name !== "requeueAfterMs"))
    throw new TypeError(`${where}: ${shown(result)} is no result: return { requeueAfterMs } or nothing`);
  checkNumber(`${where}: requeueAfterMs`, result.requeueAfterMs);
  return result;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * The finalizer is on the object before `reconcile` sees it, and is removed when the clean-up has returned without
 * asking to come again.
 */
export async function callAuthor<T extends KubeObject>(
  { name: controller, reconcile, finalizer }: Pick<ControllerOptions<T>, "name" | "reconcile" | "finalizer">,
  context: ReconcileContextOf<T>,
): Promise<ReconcileResult | undefined> {
  const { key } = context;
  const called = async (author: Reconcile<T>): Promise<ReconcileResult | undefined> =>
    checkedResult(await author(context), { controller, key });
  if (finalizer === undefined) return called(reconcile);
  const { name, run } = finalizer;
  if (!isDeleting(context.object)) {
    const before = context.object;
    const now = await addFinalizer(context.client, before, name);
    // the event of its deletion wakes the key once more
    if (now === undefined || isDeleting(now)) return undefined;
    context.object = now;
    if (now !== before) context.finalizedAt = now.metadata.resourceVersion;
    return called(reconcile);
  }
  if (!hasFinalizer(context.object, name)) return undefined;
  const result = await called(run);
  if (result?.requeueAfterMs === undefined) await removeFinalizer(context.client, context.object, name);
  return result;
}
