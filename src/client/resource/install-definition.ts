/** Installs a custom kind on a server. */
import { defined } from "../../base/defined.js";
import { CustomResourceDefinition } from "../../api/generated/apiextensions-v1.js";
import { findCondition, isConditionFalse, isConditionTrue } from "../../api/meta/condition.js";
import { StatusError } from "../../api/status.js";
import { type Clock, exponentialBackoff, linkedAbort, systemClock } from "../../base/index.js";
import type { Client } from "../client.js";
import { isConnectionFailure } from "../failure.js";
import type { WaitOptions } from "./wait-for.js";

/** A field manager of its own, so that fields that a newer program no longer sets are removed. */
const fieldManager = "coxswain-definitions";

/** About a minute in all. */
const attempts = 10;
const waits = { baseMs: 200, capMs: 10_000 };

/**
 * Creates or updates the definition, and resolves with the server's version of it when the kind is served. Rejects if
 * the server refuses it, or if another kind has its names already. A program begins with it, so a server that cannot
 * answer is asked again for about a minute.
 */
export async function installDefinition(
  client: Pick<Client, "resource"> & Partial<Pick<Client, "clock">>,
  definition: CustomResourceDefinition,
  options: WaitOptions = {},
): Promise<CustomResourceDefinition> {
  // a caller without types may give the kind itself
  const { metadata } = Object(definition) as Partial<CustomResourceDefinition>;
  if (typeof metadata?.name !== "string")
    throw new TypeError("installDefinition takes a CustomResourceDefinition; crdOf(Kind) gives that of a kind");
  const definitions = client.resource(CustomResourceDefinition);
  const { name } = metadata;
  const { signal } = options;
  const isDecided = (found: CustomResourceDefinition | undefined): boolean =>
    isEstablished(found) || isConditionFalse(found?.status?.conditions, "NamesAccepted");
  const settled = await patiently(client.clock ?? systemClock, options, async () => {
    await definitions.apply(definition, { fieldManager, force: true, ...defined({ signal }) });
    return definitions.waitFor(name, isDecided, options);
  });
  if (settled === undefined || !isEstablished(settled)) {
    const why = findCondition(settled?.status?.conditions, "NamesAccepted")?.message;
    throw new Error(`the server does not serve ${name}: ${why ?? "its definition is gone"}`);
  }
  return settled;
}

/** Tries again, later each time, while the server fails or cannot be reached: to apply twice is to apply once. */
async function patiently<T>(clock: Clock, options: WaitOptions, work: () => Promise<T>): Promise<T> {
  const backoff = exponentialBackoff(waits);
  using ending = linkedAbort(options.signal);
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || ending.signal.aborted || !isPassing(error, options)) throw error;
    }
    await clock.sleep(backoff.next(), ending.signal);
  }
}

function isPassing(error: unknown, { timeoutMs }: WaitOptions): boolean {
  if (error instanceof StatusError) return error.code >= 500 || error.code === 429 || error.code === 409;
  // with a time limit, a time-out may be the end of it
  return isConnectionFailure(error, "refused", "closed") || (isConnectionFailure(error, "timeout") && !timeoutMs);
}

const isEstablished = (definition: CustomResourceDefinition | undefined): boolean =>
  isConditionTrue(definition?.status?.conditions, "Established");
