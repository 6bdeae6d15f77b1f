/** Creates the pods that a set lacks and deletes its surplus pods on the API server. */
import type { KubeObject, PodTemplateSpec } from "../../api/index.js";
import { asError } from "../../base/index.js";
import { type PodControl, serverWords } from "../pods/pod-control.js";
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

export async function actOnReplicas(plan: ReplicaPlan, { owner, template, pods }: ActInput): Promise<ActResult> {
  switch (plan.type) {
    case "none":
      return { failure: undefined };
    case "create": {
      const pod = podFromTemplate(template, owner);
      const { error, created } = await pods.create(plan.count, () => pod);
      return error === undefined ? { failure: undefined, expectsPods: created > 0 } : failed("FailedCreate", error);
    }
    case "delete": {
      const [error] = await pods.delete(plan.pods);
      return error === undefined ? { failure: undefined } : failed("FailedDelete", error);
    }
  }
}

const failed = (reason: "FailedCreate" | "FailedDelete", error: unknown): ActResult => ({
  failure: { reason, message: serverWords(error) },
  error: asError(error),
});
