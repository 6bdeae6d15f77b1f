/**
 * Converts objects of a custom kind by its webhook: takes the definition, asks the webhook, and gives objects in the
 * wanted version.
 */
import { exactJson } from "../../../api/values/exact-json.js";
import {
  type CustomResourceDefinition,
  type KubeObject,
  type WebhookConversion,
  newFailure,
} from "../../../api/index.js";
import { type Clock, type Random } from "../../../base/index.js";
import { timeLimit } from "../../../base/time/time-limit.js";
import { without } from "../../../base/members.js";
import { newUid } from "../../contracts/scope.js";
import type { WebhookCaller } from "../../webhook/call.js";
import {
  answeredObjects,
  checkedConversion,
  type ConversionQuestion,
  conversionReview,
  conversionVersion,
  kindName,
} from "./review.js";

/** As upstream, the definition cannot change it. */
const timeoutSeconds = 30;
/** Objects of one list go to the webhook in reviews of at most this many. */
const batch = 100;

export interface ConverterParts {
  readonly webhooks: WebhookCaller;
  readonly clock: Clock;
  readonly random: Random;
}

/** The objects in the desired version, in their order; objects that have it already are not sent. Rejects with a StatusError. */
export type ConvertAll = (
  objects: readonly KubeObject[],
  desired: string,
  signal: AbortSignal | undefined,
) => Promise<readonly KubeObject[]>;

/** Undefined if the definition's versions differ in their names alone. */
export function webhookConverter({ spec }: CustomResourceDefinition, parts: ConverterParts): ConvertAll | undefined {
  const { strategy, webhook } = spec.conversion ?? {};
  if (strategy !== "Webhook" || webhook === undefined) return undefined;
  return async (objects, desired, signal) => {
    const converted = [...objects];
    const due = objects.flatMap((object, i) => (object.apiVersion === desired ? [] : [i]));
    for (let first = 0; first < due.length; first += batch) {
      const indices = due.slice(first, first + batch);
      const originals = indices.map((i) => objects[i] as KubeObject);
      const answers = await ask(webhook, originals, { desired, signal, parts }).catch(refused);
      for (const [n, i] of indices.entries()) converted[i] = answers[n] as KubeObject;
    }
    return converted;
  };
}

/** As upstream, a failed conversion is an error of the server without a reason. */
function refused(error: Error): never {
  const { message } = error;
  throw newFailure({ message, code: 500 });
}

async function ask(
  { clientConfig: config = {}, conversionReviewVersions }: WebhookConversion,
  originals: readonly KubeObject[],
  about: { readonly desired: string; readonly signal: AbortSignal | undefined; readonly parts: ConverterParts },
): Promise<readonly KubeObject[]> {
  const { desired, signal, parts } = about;
  const { webhooks, clock, random } = parts;
  const version = conversionVersion(conversionReviewVersions);
  if (version === undefined) throw new Error("no supported conversion review versions");
  const objects = originals.map(withoutRevision);
  const conversion: ConversionQuestion = { uid: newUid(random), version, desired, objects };
  const body = exactJson(conversionReview(conversion));
  const named = kindName(originals[0] as KubeObject);
  using limit = timeLimit(clock, timeoutSeconds * 1000, "context deadline exceeded", signal);
  let answered: readonly unknown[];
  try {
    answered = answeredObjects(await webhooks.call({ config, body, timeoutSeconds, signal: limit.signal }), conversion);
  } catch (error) {
    throw new Error(`conversion webhook for ${named} failed: ${(error as Error).message}`);
  }
  if (answered.length !== originals.length)
    throw new Error(
      `conversion webhook for ${named} returned ${answered.length} objects, expected ${originals.length}`,
    );
  return originals.map((original, i) => checkedConversion(original, answered[i], desired));
}

/** The revision belongs to the store and not to the stored content, so the webhook does not see it. */
function withoutRevision(object: KubeObject): KubeObject {
  const { metadata } = object;
  if (metadata.resourceVersion === undefined) return object;
  return { ...object, metadata: without(metadata, "resourceVersion") as KubeObject["metadata"] };
}
