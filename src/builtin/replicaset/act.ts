/** Makes the pods that a set is short of and deletes those it has too many. From plan; to the API server. */
import { isNotFound, type KubeObject, metaNamespaceKey, type Pod, type PodTemplateSpec } from "../../api/index.js";
import type { Expectations } from "../../controller/expectations.js";
import { isNamespaceTerminating, serverWords, type PodControl } from "../pods/pod-control.js";
import { slowStart } from "../pods/slow-start.js";
import { podFromTemplate } from "../pods/template.js";
import type { ReplicaObservation, ReplicaPlan } from "./plan.js";

export interface ActInput {
  readonly key: string;
  readonly owner: KubeObject;
  readonly template: PodTemplateSpec;
  readonly pods: PodControl;
  readonly expectations: Expectations;
  /** Told of each pod that was made. */
  onCreated(pod: Pod): void;
  readonly signal: AbortSignal;
}

export interface ActResult {
  readonly failure: ReplicaObservation["failure"];
  /** Pods were made, of which the controller will hear, and nothing went wrong. */
  readonly expectsPods?: boolean;
  /** What to throw once the status is written. */
  readonly error?: Error;
}

/** Every expectation is set before the first write, and lowered for each write that will show nothing. */
export async function actOnReplicas(plan: ReplicaPlan, input: ActInput): Promise<ActResult> {
  switch (plan.type) {
    case "none":
      return { failure: undefined };
    case "create":
      return createPods(plan.count, input);
    case "delete":
      return failed("FailedDelete", await deletePods(plan.pods, input));
  }
}

function failed(reason: "FailedCreate" | "FailedDelete", error: unknown): ActResult {
  if (error === undefined) return { failure: undefined };
  const thrown = error instanceof Error ? error : new Error(String(error), { cause: error });
  return { failure: { reason, message: serverWords(error) }, error: thrown };
}

async function createPods(count: number, input: ActInput): Promise<ActResult> {
  const { key, owner, template, pods, expectations, onCreated, signal } = input;
  const pod = podFromTemplate(template, owner);
  let created = 0;
  expectations.expectCreations(key, count);
  const { skipped, error } = await slowStart(count, async () => {
    try {
      onCreated(await pods.create(owner, pod, signal));
      created++;
    } catch (failure) {
      expectations.creationObserved(key);
      if (!isNamespaceTerminating(failure)) throw failure;
    }
  });
  expectations.creationObserved(key, skipped);
  return error === undefined ? { failure: undefined, expectsPods: created > 0 } : failed("FailedCreate", error);
}

async function deletePods(victims: readonly Pod[], input: ActInput): Promise<unknown> {
  const { key, owner, pods, expectations, signal } = input;
  expectations.expectDeletions(key, victims.map(metaNamespaceKey));
  const failures = await Promise.all(
    victims.map(async (pod) => {
      try {
        await pods.delete(owner, pod, signal);
        return undefined;
      } catch (error) {
        expectations.deletionObserved(key, metaNamespaceKey(pod));
        return isNotFound(error) ? undefined : error;
      }
    }),
  );
  return failures.find((failure) => failure !== undefined);
}
