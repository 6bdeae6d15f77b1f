/** Creates and deletes pods for an owner, and records upstream's events on the owner. */
import { messageOf } from "../../base/index.js";
import { type Draft, isNotFound, type KubeObject, Pod, StatusError } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import type { Recorder } from "../kit/context.js";
import { slowStart, type SlowStartResult } from "./slow-start.js";

/** True for a create that was refused because the namespace is being deleted: there is nothing to report or retry. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    (error.status.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating")
  );
}

export interface CreatedPods extends SlowStartResult {
  /** `succeeded` without the pods that nobody needs any more, because their namespace is being deleted. */
  readonly created: number;
}

/** Creates and deletes pods of one owner. */
export class PodControl {
  readonly #client: WorkClient;
  readonly #recorder: Recorder;
  readonly #owner: KubeObject;

  constructor(client: WorkClient, recorder: Recorder, owner: KubeObject) {
    this.#client = client;
    this.#recorder = recorder;
    this.#owner = owner;
  }

  /** Creates `count` pods in growing batches. */
  async create(count: number, draft: (index: number) => Draft<Pod>): Promise<CreatedPods> {
    let created = 0;
    const result = await slowStart(count, async (i) => {
      try {
        const pod = await this.#client.resource(Pod).create(draft(i));
        created++;
        this.#recorder.normal(this.#owner, "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
      } catch (error) {
        if (isNamespaceTerminating(error)) return;
        this.#recorder.warning(this.#owner, "FailedCreate", `Error creating: ${serverWords(error)}`);
        throw error;
      }
    });
    return { ...result, created };
  }

  /**
   * Deletes all the pods at once; `prepare` is called before each. A pod that is gone counts as deleted. Gives the
   * errors of the others.
   */
  async delete(
    pods: readonly Pod[],
    prepare: (pod: Pod) => Promise<void> = async () => {},
  ): Promise<readonly unknown[]> {
    const results = await Promise.allSettled(
      pods.map(async (pod) => {
        await prepare(pod);
        await this.#deleteOne(pod);
      }),
    );
    const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    return errors.filter((error) => !isNotFound(error));
  }

  async #deleteOne({ metadata }: Pod): Promise<void> {
    try {
      await this.#client.resource(Pod).delete(metadata);
      this.#recorder.normal(this.#owner, "SuccessfulDelete", `Deleted pod: ${metadata.name}`);
    } catch (error) {
      if (!isNotFound(error))
        this.#recorder.warning(this.#owner, "FailedDelete", `Error deleting: ${serverWords(error)}`);
      throw error;
    }
  }
}

/** The server's own message, without the text that the client adds. */
export function serverWords(error: unknown): string {
  if (error instanceof StatusError) return error.status.message ?? error.message;
  return messageOf(error);
}
