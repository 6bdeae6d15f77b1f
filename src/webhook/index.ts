/** webhook: takes functions about kinds, serves them to the API server over TLS, with certificates and configurations. */
export { type ServedWebhooks, WebhookHost } from "./host.js";
export { type NeededRule, rulesByName } from "./needed-rules.js";
export {
  checkWebhookServerOptions,
  type CertificateSource,
  type Complaint,
  type Review,
  type Verdict,
  type WebhookOptions,
  type WebhookServerOptions,
  type WebhookService,
} from "./options.js";
export type { ReviewFacts } from "./trace.js";
