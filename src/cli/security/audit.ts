/** The flags of audit, by kube-apiserver's names: gives the server's option, with the files that the flags name. */
import { readFile } from "node:fs/promises";
import { Option } from "commander";
import { type ApiServerOptions, readHookEndpoint } from "../../apiserver/index.js";
import { defined } from "../../base/defined.js";
import { numberParser, parsePath } from "../flags.js";

export interface AuditFlags {
  readonly auditPolicyFile?: string | undefined;
  readonly auditLogPath?: string | undefined;
  readonly auditLogMaxsize?: number | undefined;
  readonly auditLogMaxage?: number | undefined;
  readonly auditLogMaxbackup?: number | undefined;
  readonly auditWebhookConfigFile?: string | undefined;
}

const count = numberParser({ min: 0, max: 1_000_000, what: "a number from 0 to 1000000" });

export const auditFlagOptions = (): readonly Option[] => [
  new Option("--audit-policy-file <file>", "record requests by the rules of this Policy of audit.k8s.io/v1").argParser(
    parsePath,
  ),
  new Option(
    "--audit-log-path <file>",
    "write audit events to this file as lines of JSON; - is the standard output",
  ).argParser(parsePath),
  new Option("--audit-log-maxsize <megabytes>", "begin a new file at this size (default: 100)").argParser(count),
  new Option("--audit-log-maxage <days>", "remove old files after these days; 0 keeps them (default: 366)").argParser(
    count,
  ),
  new Option("--audit-log-maxbackup <files>", "keep this many old files; 0 keeps all (default: 100)").argParser(count),
  new Option(
    "--audit-webhook-config-file <kubeconfig>",
    "send audit events in batches to the server of this kubeconfig",
  ).argParser(parsePath),
];

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
  const webhook = hook === undefined ? undefined : { endpoint: await readHookEndpoint(hook) };
  return { audit: { policy: await readFile(file, "utf8"), ...defined({ log: log || undefined, webhook }) } };
}
