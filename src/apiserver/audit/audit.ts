/** Audit: decides by the policy which requests are recorded, and hands their events to the log and the webhook. */
import type { Clock, Logger, MetricsRegistry, Random } from "../../base/index.js";
import { type AuditLogOptions, openAuditLog } from "./log-file.js";
import { type AuditPolicy, readAuditPolicy } from "./policy.js";
import type { AuditSink, EventText } from "./sink.js";
import { AuditTrail, type AuditedRequest } from "./trail.js";
import { AuditWebhook, type AuditWebhookOptions } from "./webhook.js";

export interface AuditOptions {
  /** The text of a Policy of audit.k8s.io/v1, in YAML or JSON. */
  readonly policy: string;
  /** Writes events as lines of JSON. */
  readonly log?: AuditLogOptions;
  /** Sends events in batches to another server. */
  readonly webhook?: AuditWebhookOptions;
}

export interface AuditParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** Writes to the standard output. */
  print(text: string): void;
}

export interface Audit extends AsyncDisposable {
  /** Undefined for a request that is not recorded. */
  begin(request: AuditedRequest): AuditTrail | undefined;
}

/** Rejects if the policy is faulty or the log cannot be opened. */
export async function openAudit(options: AuditOptions, parts: AuditParts): Promise<Audit> {
  const { clock, log } = parts;
  const { value: policy, unknown } = readAuditPolicy(options.policy);
  if (unknown.length > 0) log.warn("the audit policy has fields without a meaning", { fields: unknown.join(", ") });
  const lost = parts.metrics.counter({
    name: "apiserver_audit_error_total",
    help: "Audit events that were lost, by plug-in.",
    labels: ["plugin"],
  });
  const sinks: AuditSink[] = [];
  if (options.webhook !== undefined) {
    const counter = lost.with({ plugin: "webhook" });
    const { random } = parts;
    sinks.push(new AuditWebhook(options.webhook, { clock, random, log, lost: () => counter.inc() }));
  }
  if (options.log !== undefined) {
    const counter = lost.with({ plugin: "log" });
    sinks.push(await openAuditLog(options.log, { clock, log, print: parts.print, lost: () => counter.inc() }));
  }
  return auditTo(sinks, policy, parts);
}

function auditTo(sinks: readonly AuditSink[], policy: AuditPolicy, { clock, metrics }: AuditParts): Audit {
  const events = metrics.counter({ name: "apiserver_audit_event_total", help: "Audit events made." });
  const byLevel = metrics.counter({
    name: "apiserver_audit_level_total",
    help: "Requests by the level at which the audit policy records them.",
    labels: ["level"],
  });
  const emit = (event: EventText): void => {
    events.inc();
    for (const sink of sinks) sink.take(event);
  };
  return {
    begin(request) {
      const verdict = policy(request.user, request.info);
      byLevel.with({ level: verdict.level }).inc();
      if (verdict.level === "None") return undefined;
      return new AuditTrail(request, { verdict, emit, now: () => clock.now() });
    },
    async [Symbol.asyncDispose]() {
      for (const sink of sinks) await sink[Symbol.asyncDispose]();
    },
  };
}
