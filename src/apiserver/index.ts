/** apiserver: the embedded Kubernetes-compatible API server, in-process and on a port. */
export type { AuditOptions } from "./audit/audit.js";
export type { AuditLogOptions } from "./audit/log-file.js";
export type { AuditWebhookOptions } from "./audit/webhook.js";
export { ConfigurationError } from "./configuration/section.js";
export type { FrontProxyOptions } from "./auth/front-proxy.js";
export type { AuthenticationOptions, AuthorizationOption, PolicyAuthorizer, WebhookAuthorizer } from "./auth/open.js";
export type { AccessWebhookOptions } from "./auth/remote/access-webhook.js";
export type { AuthorizationMode } from "./auth/remote/configuration.js";
export type { TokenWebhookOptions } from "./auth/remote/token-webhook.js";
export { type HookEndpoint, readHookEndpoint } from "./configuration/kubeconfig.js";
export type { ConfigurationSource } from "./configuration/source.js";
export type { ServiceAccountTokens, TokenKeys } from "./auth/tokens.js";
export { deviceSelector, type DeviceTest } from "./cel/devices/select.js";
export { policyWarnings } from "./cel/requests/policy-warnings.js";
export type { UserInfo } from "./contracts/user.js";
export {
  type ApiServer,
  type ApiServerOptions,
  type ForkOptions,
  startApiServer,
} from "./server.js";
export type { Measurements, UsageSource } from "./measured/usage.js";
export { type CustomMetric, type ExternalMetric, type MetricReading, MetricValues } from "./measured/values.js";
export type { ListenAddress, ServerListener } from "./listen/serve.js";
export { type DiskStoreOptions, openDiskStore } from "./storage/disk/open.js";
export type { Store } from "./storage/contract.js";
export { MvccStore, type StoreOptions } from "./storage/mvcc-store.js";
