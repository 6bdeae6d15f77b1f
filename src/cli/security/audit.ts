/** The flags of audit, by kube-apiserver's names: gives the server's option, with the files that the flags name. */
import { readFile } from "node:fs/promises";
import { type ApiServerOptions, type AuditWebhookOptions, readHookEndpoint } from "../../apiserver/index.js";
import { defined } from "../../base/defined.js";
import { durationIn } from "./authentication.js";

export interface AuditFlags {
  readonly auditPolicyFile?: string | undefined;
  readonly auditLogPath?: string | undefined;
  readonly auditLogMaxsize?: number | undefined;
  readonly auditLogMaxage?: number | undefined;
  readonly auditLogMaxbackup?: number | undefined;
  readonly auditWebhookConfigFile?: string | undefined;
  readonly auditWebhookBatchMaxSize?: number | undefined;
  readonly auditWebhookInitialBackoff?: string | undefined;
}

/** As upstream, nothing is recorded without a policy. */
export async function auditSettings(flags: AuditFlags): Promise<Pick<ApiServerOptions, "audit">> {
  const { auditPolicyFile: file, auditLogPath: path, auditWebhookConfigFile: hook } = flags;
  if (file === undefined) return {};
  const log = path && {
    path,
    ...defined({
      maxSizeMb: flags.auditLogMaxsize,
      maxAgeDays: flags.auditLogMaxage,
      maxBackups: flags.auditLogMaxbackup,
    }),
  };
  const webhook = hook === undefined ? undefined : { endpoint: await readHookEndpoint(hook), ...batchesOf(flags) };
  return { audit: { policy: await readFile(file, "utf8"), ...defined({ log: log || undefined, webhook }) } };
}

const batchesOf = (flags: AuditFlags): Pick<AuditWebhookOptions, "maxBatchSize" | "initialBackoffMs"> =>
  defined({
    maxBatchSize: flags.auditWebhookBatchMaxSize,
    initialBackoffMs: durationIn("audit-webhook-initial-backoff", flags.auditWebhookInitialBackoff),
  });
