/**
 * dynamic: admission that users configure, in the order in which it is asked: policies before webhooks, mutation before
 * validation.
 */
import type { AdmissionPlugin } from "../../contracts/admission.js";
import { createExpressions } from "./expressions.js";
import { mutatingPolicies } from "./mutating-policies.js";
import { validatingPolicies } from "./validating-policies.js";
import { mutatingWebhooks, validatingWebhooks, type WebhookOptions } from "./webhooks.js";

export type DynamicOptions = Omit<WebhookOptions, "expressions">;

export function dynamicAdmission(options: DynamicOptions): readonly AdmissionPlugin[] {
  const parts = { ...options, expressions: createExpressions(options.store) };
  return [mutatingPolicies(parts), mutatingWebhooks(parts), validatingPolicies(parts), validatingWebhooks(parts)];
}
