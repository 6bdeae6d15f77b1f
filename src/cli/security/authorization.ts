/** The flags of authorization, by kube-apiserver's names: gives the server's option, with the files that the flags name. */
import {
  type AuthorizationMode,
  type AuthorizationOption,
  type PolicyAuthorizer,
  readHookEndpoint,
  type WebhookAuthorizer,
} from "../../apiserver/index.js";
import { defined } from "../../base/defined.js";
import { hookVersion, durationIn } from "./authentication.js";

export type Mode = AuthorizationMode | "ABAC" | "Webhook";

export interface AuthorizationFlags {
  readonly authorizationMode?: readonly Mode[] | undefined;
  readonly authorizationConfig?: string | undefined;
  readonly authorizationPolicyFile?: string | undefined;
  readonly authorizationWebhookConfigFile?: string | undefined;
  readonly authorizationWebhookVersion?: string | undefined;
  readonly authorizationWebhookCacheAuthorizedTtl?: string | undefined;
  readonly authorizationWebhookCacheUnauthorizedTtl?: string | undefined;
}

export const modes: ReadonlySet<string> = new Set(["Node", "RBAC", "ABAC", "Webhook", "AlwaysAllow", "AlwaysDeny"]);

export const isMode = (text: string): text is Mode => modes.has(text);

/** Gives nothing if no flag is given. Rejects for flags that contradict each other, in kube-apiserver's words. */
export async function authorizationSettings(
  flags: AuthorizationFlags,
): Promise<{ readonly authorization?: AuthorizationOption }> {
  const { authorizationMode: given, authorizationConfig: file, authorizationWebhookConfigFile: hook } = flags;
  const { authorizationPolicyFile: policyFile } = flags;
  if (file !== undefined) {
    if (given !== undefined || hook !== undefined)
      throw new Error(
        "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
      );
    return { authorization: { configuration: { file }, ...(policyFile && { policies: { file: policyFile } }) } };
  }
  const isByPolicy = given?.includes("ABAC") ?? false;
  if (isByPolicy && !policyFile) throw new Error("authorization-mode ABAC's authorization policy file not passed");
  if (!isByPolicy && policyFile) throw new Error("cannot specify --authorization-policy-file without mode ABAC");
  const isHooked = given?.includes("Webhook") ?? false;
  if (isHooked && hook === undefined)
    throw new Error("authorization-mode Webhook's authorization config file not passed");
  if (!isHooked && hook !== undefined)
    throw new Error("cannot specify --authorization-webhook-config-file without mode Webhook");
  if (given === undefined) return {};
  const prefix = "authorization-webhook";
  const endpoint = hook === undefined ? undefined : await readHookEndpoint(hook);
  const options = defined({
    version: hookVersion(`${prefix}-version`, flags.authorizationWebhookVersion),
    authorizedTtlMs: durationIn(`${prefix}-cache-authorized-durationIn`, flags.authorizationWebhookCacheAuthorizedTtl),
    unauthorizedTtlMs: durationIn(
      `${prefix}-cache-unauthorized-durationIn`,
      flags.authorizationWebhookCacheUnauthorizedTtl,
    ),
  });
  return {
    authorization: given.flatMap((mode): readonly (AuthorizationMode | PolicyAuthorizer | WebhookAuthorizer)[] => {
      if (mode === "ABAC") return [{ type: mode, policies: { file: policyFile ?? "" } }];
      if (mode !== "Webhook") return [mode];
      return endpoint === undefined ? [] : [{ type: mode, endpoint, ...options }];
    }),
  };
}
