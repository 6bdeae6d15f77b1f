/** client: takes configuration and a transport, gives typed access to a Kubernetes API server, real or embedded. */
export { Client, type ClientOptions, type EmptyCollection } from "./client.js";
export type { MetadataClient, PartialObjectMetadata } from "./resource/metadata-client.js";
export type { AccessConfig, PemSource } from "./config/access.js";
export { ConfigError, type ConfigPlace } from "./config/config-error.js";
export type {
  ExecPlugin,
  Impersonation,
  Kubeconfig,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigUser,
  KubeconfigEntry,
} from "./config/kubeconfig.js";
export { parseKubeconfig } from "./config/kubeconfig.js";
export { loadKubeconfig, loadKubeconfigs, mergeKubeconfigs, type Surroundings } from "./config/load.js";
export { type Overrides, resolveAccess } from "./config/resolve.js";
export { Redacted } from "./config/redacted.js";
export { writeKubeconfig } from "./config/write.js";
export { type ClientNodeKubeConfig, fromClientNode } from "./config-from-client-node.js";
export { type AccessOptions, connect, type ConnectOptions, connectTo, loadAccess } from "./connect.js";
export type { PieceOfWork, WorkClient, WriteCall } from "./during.js";
export { Discovery, type ServerVersion } from "./discovery/discovery.js";
export type {
  Discovered,
  DiscoveredGroup,
  DiscoveredResource,
  DiscoveryFailure,
  Unstructured,
} from "./discovery/documents.js";
export type { KindReference } from "./discovery/rest-mapper.js";
export {
  type AttachOptions,
  type ExecOptions,
  type ForwardOptions,
  type LogOptions,
  type LogStream,
  PodClient,
} from "./remote/pod-client.js";
export type { ForwardedConnection, PortForward } from "./remote/port-forward.js";
export type { RemoteProcess } from "./remote/remote-process.js";
export type { Channel, ChannelRequest, OpenChannel } from "./remote/web-socket.js";
export type { AttemptReport, Exchange, RateLimiter } from "./request/exchange.js";
export { meterRequests } from "./metrics.js";
export { ConnectionError, type ConnectionFailure, isConnectionFailure } from "./failure.js";
export type { AnswerLimits } from "./request/limits.js";
export type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  FieldValidation,
  GetOptions,
  ListOptions,
  NameOrMetadata,
  Patch,
  PatchOptions,
  Preconditions,
  SelectOptions,
  SelectorText,
  WatchOptions,
  WriteOptions,
} from "./request/options.js";
export { type BuiltRequest, buildRequest, type ApiCall, type Verb } from "./request/request.js";
export { defaultRetryPolicy, type RetryPolicy } from "./request/retry.js";
export type { Ensured } from "./resource/create-or-update.js";
export { installDefinition } from "./resource/install-definition.js";
export { migrateStorage, type Migration, type MigrationOptions } from "./resource/migrate.js";
export type { PatchFromOptions } from "./resource/patch-from.js";
export { ResourceClient, type ResourceScope } from "./resource/resource-client.js";
export { type ConflictRetryOptions, retryOnConflict } from "./resource/retry-on-conflict.js";
export { type Scale, SubresourceClient } from "./resource/subresource-client.js";
export type { WaitOptions } from "./resource/wait-for.js";
export { type Decode, decodeObject } from "./stream/decode.js";
export type { ListEnvelope } from "./stream/list-scanner.js";
export type { ListStream } from "./stream/list-stream.js";
export type { PagedList, PagerOptions } from "./stream/pager.js";
export {
  type EventCondition,
  firstToHold,
  retryWatch,
  type RetryWatchOptions,
  until,
  type UntilOptions,
  type Watchable,
} from "./stream/retry-watch.js";
export type { WatchStream } from "./stream/watch-stream.js";
export type { Endpoint, TlsMaterial } from "./transport/endpoint.js";
export {
  type Fault,
  type FaultPlan,
  faultyTransport,
  type FaultyOptions,
  seededFaults,
  type SeededFaultsOptions,
} from "./transport/faulty.js";
export { type HttpTransport, httpTransport, type HttpTransportOptions } from "./http-transport.js";
export type { RequestFacts } from "./request/trace.js";
