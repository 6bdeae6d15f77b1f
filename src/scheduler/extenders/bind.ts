/** Binds a pod by the extender that binds, if there is one for it; else by a write to the API server. */
import type { Binding, Pod } from "../../api/index.js";
import type { Logger } from "../../base/index.js";
import type { Extender } from "./extender.js";
import { defined } from "../../base/defined.js";

/** The scheduler's own writes. */
interface Acts {
  bind(binding: Binding, signal: AbortSignal): Promise<void>;
  bound(pod: Pod, nodeName: string): void;
}

interface BindOptions {
  readonly nodeName: string;
  readonly acts: Acts;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export async function bindWith(
  extenders: readonly Extender[],
  pod: Pod,
  { nodeName, acts, log, signal }: BindOptions,
): Promise<void> {
  const { name, namespace = "", uid } = pod.metadata;
  const binding = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name, namespace, ...defined({ uid: uid || undefined }) },
    target: { kind: "Node", name: nodeName },
  } satisfies Binding;
  if (!(await isBoundBy(extenders, pod, binding))) await acts.bind(binding, signal);
  acts.bound(pod, nodeName);

  async function isBoundBy(all: readonly Extender[], of: Pod, wanted: Binding): Promise<boolean> {
    for (const extender of all) {
      if (!extender.binds || !extender.isInterested(of)) continue;
      try {
        await extender.bind(wanted, signal);
        return true;
      } catch (error) {
        if (signal.aborted || !extender.isIgnorable) throw error;
        log.info("an extender was skipped", { extender: extender.name, error });
      }
    }
    return false;
  }
}
