/** Authorizes requests by a webhook that answers SubjectAccessReviews; its answers are kept for a while. */
import { type Logger, type MetricsRegistry, messageOf, OutageLog } from "../../../base/index.js";
import type { IdentityExpression } from "../../cel/identity/expressions.js";
import { fromJson } from "../../cel/values/json.js";
import type { Authorizer, Decision } from "../../contracts/authorizer.js";
import type { RequestInfo } from "../../contracts/request.js";
import type { HookEndpoint } from "../../configuration/kubeconfig.js";
import { type Asking, askWebhook } from "./ask.js";
import { Expiring } from "./expiring.js";
import { flagIn, textIn } from "./members.js";
import { shownToConditions, specOf } from "./access-spec.js";

/** The facts of a Webhook in an AuthorizationConfiguration, with upstream's defaults. */
export interface AccessWebhookOptions {
  /** For metrics. Default `default`, as for a webhook of flags. */
  readonly name?: string;
  readonly endpoint: HookEndpoint;
  /** The version of authorization.k8s.io. Default v1beta1. */
  readonly version?: "v1" | "v1beta1";
  /** The time for which permissions are kept; 0 for none. Default 5 minutes. */
  readonly authorizedTtlMs?: number;
  /** The time for which refusals are kept; 0 for none. Default 30 seconds. */
  readonly unauthorizedTtlMs?: number;
  /** For one attempt. Default 30 seconds. */
  readonly timeoutMs?: number;
  /** The decision if the webhook cannot be asked. Default `NoOpinion`. */
  readonly failurePolicy?: "NoOpinion" | "Deny";
}

export interface AccessWebhookParts extends Asking {
  readonly log: Logger;
  readonly metrics: AccessMetrics;
}

/** Expressions that must all be true for the webhook to be asked. */
export type MatchConditions = readonly IdentityExpression[];

const maxKept = 8192;
/** A question with longer names is not kept: a client could fill the memory with them. */
const maxNames = 10_000;

export function accessWebhook(
  options: AccessWebhookOptions & { readonly conditions?: MatchConditions },
  parts: AccessWebhookParts,
): Authorizer {
  const { name = "default", endpoint, version = "v1beta1", failurePolicy = "NoOpinion", conditions = [] } = options;
  const { authorizedTtlMs = 300_000, unauthorizedTtlMs = 30_000, timeoutMs = 30_000 } = options;
  const { clock, log, metrics } = parts;
  const kept = new Expiring<Decision>(clock, maxKept);
  const words = {
    failing: "the authorization webhook gave no answer",
    over: "the authorization webhook answers again",
  };
  const outage = new OutageLog({ logger: log.child({ name }), clock, ...words });
  const failed = (errors: readonly string[]): Decision => ({
    allowed: false,
    denied: failurePolicy === "Deny",
    errors,
  });
  const ask = async (spec: object, key: string | undefined): Promise<Decision> => {
    const review = { kind: "SubjectAccessReview", apiVersion: `authorization.k8s.io/${version}`, spec };
    let result = "error";
    const attempted = (attempt: { readonly result: string; readonly seconds: number }): void => {
      ({ result } = attempt);
      metrics.evaluated(name, attempt);
    };
    try {
      const decision = decisionOf(await askWebhook({ endpoint, timeoutMs, review, attempted }, parts));
      outage.worked();
      if (key !== undefined) kept.set(key, decision, decision.allowed ? authorizedTtlMs : unauthorizedTtlMs);
      return decision;
    } catch (error) {
      outage.failed({ error });
      if (failurePolicy === "NoOpinion" && !parts.stopping.aborted) metrics.failedOpen(name, result);
      return failed([messageOf(error)]);
    }
  };
  return (user, request) => {
    const spec = specOf(user, request);
    if (conditions.length > 0) {
      const match = matches(conditions, spec);
      if (match === false) return { allowed: false };
      if (match !== true) return failed(match);
    }
    const key = isKeepable(request) ? JSON.stringify(spec) : undefined;
    return (key === undefined ? undefined : kept.get(key)) ?? ask(spec, key);
  };
}

/** Texts if a condition fails and none is false. */
function matches(conditions: MatchConditions, spec: ReturnType<typeof specOf>): boolean | readonly string[] {
  const request = fromJson(shownToConditions(spec));
  const errors: string[] = [];
  for (const condition of conditions) {
    const value = condition.run(request);
    if (value instanceof Error) errors.push(`cel evaluation error: ${value.message}`);
    else if (value !== true) return false;
  }
  return errors.length === 0 ? true : errors;
}

function isKeepable(request: RequestInfo): boolean {
  if (request.type === "other") return request.verb.length + request.path.length < maxNames;
  const { namespace, verb, group, version, resource, subresource, name } = request;
  return [namespace, verb, group, version, resource, subresource, name].join("").length < maxNames;
}

function decisionOf(status: Readonly<Record<string, unknown>>): Decision {
  const allowed = flagIn(status, "allowed");
  const reason = textIn(status, "reason");
  const why = reason === "" ? {} : { reason };
  if (!flagIn(status, "denied")) return { allowed, ...why };
  if (!allowed) return { allowed: false, denied: true, ...why };
  const error = "webhook subject access review returned both allow and deny response";
  return { allowed: false, denied: true, ...why, errors: [error] };
}

export interface AccessMetrics {
  evaluated(name: string, attempt: { readonly result: string; readonly seconds: number }): void;
  failedOpen(name: string, result: string): void;
}

export function accessMetrics(metrics: MetricsRegistry): AccessMetrics {
  const labels = ["name", "result"] as const;
  const prefix = "apiserver_authorization_webhook";
  const count = metrics.counter({
    name: `${prefix}_evaluations_total`,
    help: "Questions to authorization webhooks.",
    labels,
  });
  const duration = metrics.histogram({
    name: `${prefix}_duration_seconds`,
    help: "Time of questions to authorization webhooks.",
    labels,
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 15, 25],
  });
  const open = metrics.counter({
    name: `${prefix}_evaluations_fail_open_total`,
    help: "Questions without an answer that later authorizers decided.",
    labels,
  });
  return {
    evaluated(name, { result, seconds }) {
      count.with({ name, result }).inc();
      duration.with({ name, result }).observe(seconds);
    },
    failedOpen: (name, result) => open.with({ name, result }).inc(),
  };
}
