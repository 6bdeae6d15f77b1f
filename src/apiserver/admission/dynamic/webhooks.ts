/** Mutating and validating webhooks: reads configurations from the store, sends reviews, applies the answers to the write. */
import { exactJson, parseExactJson } from "../../../api/values/exact-json.js";
import { defined } from "../../../base/defined.js";
import {
  applyJsonPatch,
  deepEqual,
  type JsonPatchOperation,
  type KubeObject,
  type MutatingWebhook,
  type MutatingWebhookConfiguration,
  newBadRequest,
  newForbidden,
  newInternalError,
  type Status,
  StatusError,
  type ValidatingWebhook,
  type ValidatingWebhookConfiguration,
} from "../../../api/index.js";
import { type Clock, type Logger, type MetricsRegistry, OutageLog, type Random } from "../../../base/index.js";
import { timeLimit } from "../../../base/time/time-limit.js";
import { annotate, noteFailOpen, noteMutation, notePatch, type Turn } from "./annotations.js";
import { newUid } from "../../contracts/scope.js";
import type { Stored } from "../../storage/contract.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";
import type { WebhookCaller } from "../../webhook/call.js";
import { type Authorizer, deciding } from "../../contracts/authorizer.js";
import type { UserForHost } from "../settings/hooks.js";
import type { Expressions } from "./expressions.js";
import { type Criteria, isExempt, type Match, matchOf, type Surroundings } from "./matching.js";
import { readVerdict, reviewOf, reviewVersion, type WebhookVerdict } from "./review.js";
import { inVersionOf, readyFor, inVersion, asStored } from "./versions.js";

export interface WebhookOptions extends Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly expressions: Expressions;
  readonly authorizer: Authorizer;
  readonly webhooks: WebhookCaller;
  readonly mutatingUsers: UserForHost;
  readonly validatingUsers: UserForHost;
}

type Webhook = (MutatingWebhook | ValidatingWebhook) & {
  readonly id: string;
  readonly configuration: string;
  readonly outage: OutageLog;
};

const collectionOf = (kind: "mutating" | "validating"): string =>
  `admissionregistration.k8s.io/${kind}webhookconfigurations`;

/** Gives the webhooks of all configurations, in the order of the configurations' names; each is read once. */
function webhooksOf({ store, log, clock }: WebhookOptions, kind: "mutating" | "validating"): () => readonly Webhook[] {
  const known = new WeakMap<Stored, readonly Webhook[]>();
  const collection = collectionOf(kind);
  const read = (stored: Stored): readonly Webhook[] => {
    let webhooks = known.get(stored);
    if (webhooks === undefined) {
      const { metadata, webhooks: listed = [] } = stored.object as
        | MutatingWebhookConfiguration
        | ValidatingWebhookConfiguration;
      const configuration = metadata.name;
      webhooks = listed.map((webhook, i) => ({
        ...webhook,
        configuration,
        id: `${configuration}/${webhook.name}/${i}`,
        outage: new OutageLog({
          logger: log.child({ configuration, webhook: webhook.name }),
          clock,
          failing: "a webhook could not be asked and is passed over",
          over: "a webhook that was passed over answers again",
        }),
      }));
      known.set(stored, webhooks);
    }
    return webhooks;
  };
  return () =>
    store.count(collection) === 0 ? [] : store.list({ collection, prefix: "", from: "" }).items.flatMap(read);
}

export function mutatingWebhooks(options: WebhookOptions): AdmissionPlugin {
  const all = webhooksOf(options, "mutating");
  return {
    name: "MutatingAdmissionWebhook",
    mutate(request) {
      const webhooks = isExempt(request) ? [] : all();
      return webhooks.length === 0 ? request.object : mutateBy(webhooks, request, options);
    },
    validate(request) {
      // a deletion has no object to change, but mutating webhooks are asked too
      if (request.operation !== "DELETE" || isExempt(request)) return undefined;
      const webhooks = all();
      return webhooks.length === 0 ? undefined : askInTurn(webhooks, request, options);
    },
  };
}

export function validatingWebhooks(options: WebhookOptions): AdmissionPlugin {
  const all = webhooksOf(options, "validating");
  return {
    name: "ValidatingAdmissionWebhook",
    validate(request) {
      const webhooks = isExempt(request) ? [] : all();
      return webhooks.length === 0 ? undefined : validateBy(webhooks, request, options);
    },
  };
}

async function mutateBy(
  webhooks: readonly Webhook[],
  request: AdmissionRequest & { readonly object: KubeObject },
  options: WebhookOptions,
): Promise<KubeObject> {
  let { object } = request;
  const { rounds } = request;
  rounds.enter(object);
  for (const [index, webhook] of webhooks.entries()) {
    const { id } = webhook;
    const now = { ...request, object };
    await readyFor(criteriaOf(webhook), now, options);
    const match = await interested(webhook, now, options);
    if (match === undefined || !rounds.mayAsk(id)) continue;
    const before = inVersion(match, object) as KubeObject;
    const turn = { round: rounds.number, index };
    const after = await changedBy(webhook, { request: now, match, object: before, mutating: true, turn }, options);
    // a Scale is a view: a hook's changes to it have nowhere to go
    const changed = match.kind.kind !== "Scale" && !deepEqual(after, before);
    // the object of a subresource (an eviction, a binding) is not stored
    const isStored = match.kind.kind === match.endpoint.served.kind;
    if (changed && !isStored) object = after;
    else if (changed) object = await inVersionOf(request, asStored(match.endpoint, after, object), options);
    rounds.asked(id, { changed, reinvocable: (webhook as MutatingWebhook).reinvocationPolicy === "IfNeeded" });
  }
  rounds.leave(object);
  return object;
}

/** The object as the webhook wants it. The audit event tells whether that differs, also if the write is refused. */
async function changedBy(
  webhook: Webhook,
  question: Question & { readonly object: KubeObject },
  options: WebhookOptions,
): Promise<KubeObject> {
  const { request, object, turn } = question;
  let after = object;
  try {
    const verdict = await ask(webhook, question, options);
    if (verdict?.patch !== undefined) after = patched(webhook, question, verdict.patch);
    return after;
  } finally {
    const { configuration, name } = webhook;
    noteMutation(request, turn, { configuration, webhook: name, mutated: !deepEqual(after, object) });
  }
}

async function askInTurn(
  webhooks: readonly Webhook[],
  request: AdmissionRequest,
  options: WebhookOptions,
): Promise<void> {
  for (const [index, webhook] of webhooks.entries()) {
    await readyFor(criteriaOf(webhook), request, options);
    const match = await interested(webhook, request, options);
    if (match === undefined) continue;
    const turn = { round: 0, index };
    const { configuration, name } = webhook;
    noteMutation(request, turn, { configuration, webhook: name, mutated: false });
    const verdict = await ask(webhook, { request, match, object: undefined, mutating: true, turn }, options);
    if (verdict?.patch !== undefined)
      throw newInternalError(
        `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
      );
  }
}

/** Asks all webhooks at once; of several refusals, the first in order is the answer. */
async function validateBy(
  webhooks: readonly Webhook[],
  request: AdmissionRequest,
  options: WebhookOptions,
): Promise<void> {
  for (const webhook of webhooks) await readyFor(criteriaOf(webhook), request, options);
  const matches = new Map<Webhook, Match>();
  for (const webhook of webhooks) {
    const match = await interested(webhook, request, options);
    if (match !== undefined) matches.set(webhook, match);
  }
  const asked = Array.from(matches, ([webhook, match], index) => {
    const turn = { round: 0, index };
    return ask(webhook, { request, match, object: inVersion(match, request.object), mutating: false, turn }, options);
  });
  const outcomes = await Promise.allSettled(asked);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

const criteriaOf = (webhook: Webhook): Criteria => ({ ...webhook, rules: webhook.rules ?? [] });

function interested(
  webhook: Webhook,
  request: AdmissionRequest,
  options: WebhookOptions,
): Match | undefined | Promise<Match | undefined> {
  const match = matchOf(request, criteriaOf(webhook), options);
  if (match === undefined || (webhook.matchConditions ?? []).length === 0) return match;
  const { matchConditions = [], failurePolicy = "Fail" } = webhook;
  return deciding(options.authorizer, (decide) => {
    const fits = options.expressions.conditionsHold(matchConditions, { request, match, params: undefined, decide });
    if (typeof fits === "boolean") return fits ? match : undefined;
    if (failurePolicy === "Ignore") return undefined;
    const { group, resource } = request.resource;
    throw newForbidden({ group, resource }, request.name, fits.error);
  });
}

interface Question {
  readonly request: AdmissionRequest;
  readonly match: Match;
  /** The object in the version of the match. */
  readonly object: KubeObject | undefined;
  readonly mutating: boolean;
  readonly turn: Turn;
}

/** Undefined if the webhook could not be asked and its failure policy is Ignore. */
async function ask(webhook: Webhook, question: Question, options: WebhookOptions): Promise<WebhookVerdict | undefined> {
  const { request } = question;
  if (request.dryRun && webhook.sideEffects !== "None" && webhook.sideEffects !== "NoneOnDryRun")
    throw newBadRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  const measured = measure(webhook, question, options);
  let verdict: WebhookVerdict;
  try {
    verdict = await call(webhook, question, options);
    measured(verdict.allowed);
    webhook.outage.worked();
  } catch (error) {
    measured(webhook.failurePolicy === "Ignore");
    const why = `failed calling webhook ${JSON.stringify(webhook.name)}: ${(error as Error).message}`;
    if (webhook.failurePolicy !== "Ignore") throw newInternalError(why);
    webhook.outage.failed({ why });
    noteFailOpen(request, question.mutating ? "mutation" : "validating", question.turn, webhook.name);
    return undefined;
  }
  for (const [key, value] of Object.entries(verdict.auditAnnotations)) annotate(request, webhook.name, key, value);
  for (const warning of verdict.warnings) request.warn(warning);
  if (!verdict.allowed) throw denied(webhook.name, verdict.result);
  return verdict;
}

/** The time that a webhook takes, and whether the write was refused by it or for want of its answer. */
function measure(
  { name }: Webhook,
  { request, mutating }: Question,
  options: WebhookOptions,
): (allowed: boolean) => void {
  const { metrics, clock } = options;
  const seconds = metrics.histogram({
    name: "apiserver_admission_webhook_admission_duration_seconds",
    help: "Time that an admission webhook takes, by its name and whether the write was refused.",
    labels: ["name", "type", "operation", "rejected"],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
  });
  const startedAt = clock.monotonic();
  const type = mutating ? "admit" : "validating";
  return (allowed) =>
    seconds
      .with({ name, type, operation: request.operation, rejected: String(!allowed) })
      .observe((clock.monotonic() - startedAt) / 1000);
}

async function call(
  webhook: Webhook,
  { request, match, object, mutating }: Question,
  { clock, random, webhooks, mutatingUsers, validatingUsers }: WebhookOptions,
): Promise<WebhookVerdict> {
  const version = reviewVersion(webhook.admissionReviewVersions ?? []);
  if (version === undefined)
    throw new Error(
      "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
    );
  const uid = newUid(random);
  const body = exactJson(reviewOf(request, match, { uid, version, object }));
  const { timeoutSeconds = 10, clientConfig: config } = webhook;
  using limit = timeLimit(clock, timeoutSeconds * 1000, "context deadline exceeded");
  let answer: unknown;
  try {
    const userFor = mutating ? mutatingUsers : validatingUsers;
    answer = await webhooks.call({ config, body, timeoutSeconds, signal: limit.signal, userFor });
  } catch (error) {
    throw new Error(`failed to call webhook: ${(error as Error).message}`);
  }
  try {
    return readVerdict(answer, { uid, version, mutating });
  } catch (error) {
    throw new Error(`received invalid webhook response: ${(error as Error).message}`);
  }
}

function patched(
  { name, configuration, failurePolicy }: Webhook,
  { request, object: before, turn }: Question & { readonly object: KubeObject },
  text: string,
): KubeObject {
  let patch: readonly JsonPatchOperation[];
  try {
    patch = parseExactJson(text) as readonly JsonPatchOperation[];
  } catch (error) {
    if (failurePolicy === "Ignore") {
      noteFailOpen(request, "mutation", turn, name);
      return before;
    }
    throw newInternalError(
      `failed calling webhook ${JSON.stringify(name)}: received undecodable patch in webhook response: ${(error as Error).message}`,
    );
  }
  try {
    const after = applyJsonPatch(before, patch, { rules: "kubernetes" });
    if (patch.length > 0) notePatch(request, turn, { configuration, webhook: name, patch });
    return after;
  } catch (error) {
    throw newInternalError((error as Error).message);
  }
}

/** The webhook's own status, turned into a failure if it is none. */
function denied(name: string, result: Partial<Status> = {}): StatusError {
  const { message, reason, code, details } = result;
  const status = code ?? 0;
  const by = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = message || reason || "";
  return new StatusError(
    defined({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: why === "" ? `${by} without explanation` : `${by}: ${why}`,
      reason: reason || undefined,
      details: details ?? undefined,
      // no answer can have a status beyond 599
      code: status < 400 ? 400 : status > 599 ? 500 : status,
    }) as Status,
  );
}
