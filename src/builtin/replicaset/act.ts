/** Creates the pods that a set lacks and deletes its surplus pods on the API server. */
import { isNotFound, type KubeObject, type Pod, type PodTemplateSpec } from "../../api/index.js";
import { isNamespaceTerminating, serverWords, type PodControl } from "../pods/pod-control.js";
import { slowStart } from "../pods/slow-start.js";
import { podFromTemplate } from "../pods/template.js";
import type { ReplicaObservation, ReplicaPlan } from "./plan.js";

export interface ActInput {
  readonly owner: KubeObject;
  readonly template: PodTemplateSpec;
  readonly pods: PodControl;
}

export interface ActResult {
  readonly failure: ReplicaObservation["failure"];
  /** True if pods were created, whose events will come, and nothing failed. */
  readonly expectsPods?: boolean;
  /** The error to throw once the status is written. */
  readonly error?: Error;
}

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

async function createPods(count: number, { owner, template, pods }: ActInput): Promise<ActResult> {
  const pod = podFromTemplate(template, owner);
  let created = 0;
  const { error } = await slowStart(count, async () => {
    try {
      await pods.create(owner, pod);
      created++;
    } catch (failure) {
      if (!isNamespaceTerminating(failure)) throw failure;
    }
  });
  return error === undefined ? { failure: undefined, expectsPods: created > 0 } : failed("FailedCreate", error);
}

async function deletePods(victims: readonly Pod[], { owner, pods }: ActInput): Promise<unknown> {
  const failures = await Promise.all(
    victims.map(async (pod) => {
      try {
        await pods.delete(owner, pod);
        return undefined;
      } catch (error) {
        return isNotFound(error) ? undefined : error;
      }
    }),
  );
  return failures.find((failure) => failure !== undefined);
}
