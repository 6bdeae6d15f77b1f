/** Wakes the owner of a pod, and once more when the pod becomes available. For `OwnedObjects.wakeOwners`. */
import { type KubeObject, metaNamespaceKey, type Pod } from "../../api/index.js";
import type { Wake } from "../../controller/index.js";
import type { OwnedChange } from "../ownership/owned.js";
import { isReady } from "./state.js";

/** A pod that has become ready becomes available by time alone, and no event will say so. */
export function wakeWhenAvailable<O extends KubeObject>(minReadySecondsOf: (owner: O) => number | undefined) {
  return (owner: O, { object, previous }: OwnedChange<Pod>, wake: Wake): void => {
    const key = metaNamespaceKey(owner);
    wake(key);
    const minReadySeconds = minReadySecondsOf(owner) ?? 0;
    const becameReady = previous !== undefined && !isReady(previous) && isReady(object);
    if (minReadySeconds > 0 && becameReady) wake(key, minReadySeconds * 1000 + 1000);
  };
}
