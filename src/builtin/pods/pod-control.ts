/** Creates and deletes pods for an owner, and records upstream's events on the owner. */
import { messageOf } from "../../base/index.js";
import { type Draft, isNotFound, type KubeObject, Pod, StatusError } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import type { Recorder } from "../kit/context.js";

/** True for a create that was refused because the namespace is being deleted: there is nothing to report or retry. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    (error.status.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating")
  );
}

export interface PodControl {
  create(owner: KubeObject, pod: Draft<Pod>): Promise<Pod>;
  /** Throws NotFound for a pod that is already gone, which callers count as deleted. */
  delete(owner: KubeObject, pod: Pod): Promise<void>;
}

export function podControl(client: WorkClient, recorder: Recorder): PodControl {
  return {
    async create(owner, pod) {
      try {
        const created = await client.resource(Pod).create(pod);
        recorder.normal(owner, "SuccessfulCreate", `Created pod: ${created.metadata.name}`);
        return created;
      } catch (error) {
        if (!isNamespaceTerminating(error))
          recorder.warning(owner, "FailedCreate", `Error creating: ${serverWords(error)}`);
        throw error;
      }
    },
    async delete(owner, pod) {
      try {
        await client.resource(Pod).delete(pod.metadata);
        recorder.normal(owner, "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
      } catch (error) {
        if (!isNotFound(error)) recorder.warning(owner, "FailedDelete", `Error deleting: ${serverWords(error)}`);
        throw error;
      }
    },
  };
}

/** The server's own message, without the text that the client adds. */
export function serverWords(error: unknown): string {
  if (error instanceof StatusError) return error.status.message ?? error.message;
  return messageOf(error);
}
