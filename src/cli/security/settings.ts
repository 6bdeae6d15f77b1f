/** Gives the server's options that the flags about its security set. */
import { readFile } from "node:fs/promises";
import type { ApiServerOptions } from "../../apiserver/index.js";
import { defined } from "../../base/defined.js";
import { type AuditFlags, auditSettings } from "./audit.js";
import { type AuthenticationFlags, authenticationSettings } from "./authentication.js";
import { type AuthorizationFlags, authorizationSettings } from "./authorization.js";
import { tokensIn } from "./token-file.js";

export interface SecurityFlags extends AuditFlags, AuthenticationFlags, AuthorizationFlags {
  readonly tokenAuthFile?: string | undefined;
}

/** Reads the files that the flags name; rejects for one that cannot be read. */
export async function securitySettings(flags: SecurityFlags): Promise<ApiServerOptions> {
  const { tokenAuthFile: file } = flags;
  const tokens = file === undefined ? undefined : tokensIn(await readFile(file, "utf8"));
  return {
    ...(await authenticationSettings(flags)),
    ...(await authorizationSettings(flags)),
    ...(await auditSettings(flags)),
    ...defined({ tokens }),
  };
}
