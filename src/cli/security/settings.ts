/** The flags about the security of a server, and the server's options that they set. */
import { readFile } from "node:fs/promises";
import { Option } from "commander";
import type { ApiServerOptions } from "../../apiserver/index.js";
import { defined } from "../../base/defined.js";
import { parsePath } from "../flags.js";
import { auditFlagOptions, type AuditFlags, auditSettings } from "./audit.js";
import { authenticationFlagOptions, type AuthenticationFlags, authenticationSettings } from "./authentication.js";
import { authorizationFlagOptions, type AuthorizationFlags, authorizationSettings } from "./authorization.js";
import { tokensIn } from "./token-file.js";

export interface SecurityFlags extends AuditFlags, AuthenticationFlags, AuthorizationFlags {
  readonly tokenAuthFile?: string | undefined;
}

export const securityOptions = (): readonly Option[] => [
  new Option(
    "--token-auth-file <file>",
    "accept the bearer tokens in this file: lines of token, user, uid and, in quotes, groups",
  ).argParser(parsePath),
  ...authenticationFlagOptions(),
  ...authorizationFlagOptions(),
  ...auditFlagOptions(),
];

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
