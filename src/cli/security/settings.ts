/** The flags about the security of a server, and the server's options that they set. */
import type { Option } from "commander";
import type { ApiServerOptions } from "../../apiserver/index.js";
import { auditFlagOptions, type AuditFlags, auditSettings } from "./audit.js";

export interface SecurityFlags extends AuditFlags {}

export const securityOptions = (): readonly Option[] => [...auditFlagOptions()];

/** Reads the files that the flags name; rejects for one that cannot be read. */
export async function securitySettings(flags: SecurityFlags): Promise<ApiServerOptions> {
  return { ...(await auditSettings(flags)) };
}
