/** Calls what the author wrote for an object: its finalizer's clean-up or its reconciler. From a run of the controller. */
import type { KubeObject } from "../../api/index.js";
import { ensureFinalizer, hasFinalizer, isDeleting, removeFinalizer } from "../authoring/finalizers.js";
import type { ControllerOptions } from "../options.js";
import type { ReconcileResult } from "../reconcile.js";
import type { RunContextOf } from "./context.js";

/** The finalizer is on the object before `reconcile` sees it, and goes when the clean-up has returned without asking to come again. */
export async function callAuthor<T extends KubeObject>(
  { reconcile, finalizer }: Pick<ControllerOptions<T>, "reconcile" | "finalizer">,
  context: RunContextOf<T>,
): Promise<ReconcileResult | undefined> {
  if (finalizer === undefined) return (await reconcile(context)) ?? undefined;
  const { name, run } = finalizer;
  if (!isDeleting(context.object)) {
    context.object = await ensureFinalizer(context.client, context.object, name);
    return (await reconcile(context)) ?? undefined;
  }
  if (!hasFinalizer(context.object, name)) return undefined;
  const result = (await run(context)) ?? undefined;
  if (result?.requeueAfterMs === undefined) await removeFinalizer(context.client, context.object, name);
  return result;
}
