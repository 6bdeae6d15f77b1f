/** The flags of kube-apiserver 1.36 and etcd 3.6, by name: which the stand-ins heed, and which have no effect on them. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** A program's flags. A flag that is in none of the sets is unknown. */
export interface FlagTable {
  /** Flags with an effect. */
  readonly heeded: ReadonlySet<string>;
  /** Flags that tune or log, so that nobody misses their effect. */
  readonly quiet: ReadonlySet<string>;
  /** Flags whose effect a user may miss. */
  readonly missed: ReadonlySet<string>;
  /** Flags of any set whose value may be left out and is never the next argument. */
  readonly booleans: ReadonlySet<string>;
}

const apiserverBooleans = words(`
  aggregator-reject-forwarding-redirect allow-privileged anonymous-auth audit-log-batch-throttle-enable
  audit-log-compress audit-log-truncate-enabled audit-webhook-batch-throttle-enable audit-webhook-truncate-enabled
  contention-profiling disable-http2-serving emulation-forward-compatible enable-aggregator-routing
  enable-bootstrap-token-auth enable-garbage-collector enable-logs-handler enable-priority-and-fairness
  encryption-provider-config-automatic-reload log-json-split-stream log-text-split-stream permit-address-sharing
  permit-port-sharing profiling runtime-config-emulation-forward-compatible
  service-account-extend-token-expiration service-account-lookup shutdown-send-retry-after watch-cache
`);

export const apiserverFlags: FlagTable = {
  booleans: new Set(apiserverBooleans),
  heeded: new Set(
    words(`
  admission-control-config-file advertise-address allow-privileged anonymous-auth api-audiences audit-log-maxage audit-log-maxbackup
  audit-log-maxsize audit-log-path audit-policy-file audit-webhook-batch-max-size audit-webhook-config-file
  audit-webhook-initial-backoff authorization-mode bind-address cert-dir
  client-ca-file controllers disable-admission-plugins enable-admission-plugins enable-bootstrap-token-auth
  enable-priority-and-fairness etcd-servers
  feature-gates max-mutating-requests-inflight max-requests-inflight runtime-config secure-port service-account-issuer
  service-account-key-file service-account-signing-key-file service-cluster-ip-range service-node-port-range
  tls-cert-file tls-private-key-file token-auth-file
  authentication-config authentication-token-webhook-config-file authentication-token-webhook-cache-ttl
  authentication-token-webhook-version authorization-config authorization-policy-file authorization-webhook-config-file
  authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
  authorization-webhook-version oidc-ca-file oidc-client-id oidc-groups-claim oidc-groups-prefix oidc-issuer-url
  oidc-required-claim oidc-signing-algs oidc-username-claim oidc-username-prefix requestheader-allowed-names
  requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers
  requestheader-uid-headers requestheader-username-headers
`),
  ),
  quiet: new Set(
    words(`
  allow-metric-labels allow-metric-labels-manifest audit-log-batch-buffer-size audit-log-batch-max-size
  audit-log-batch-max-wait audit-log-batch-throttle-burst audit-log-batch-throttle-enable
  audit-log-batch-throttle-qps audit-log-compress audit-log-format audit-log-mode audit-log-truncate-enabled audit-log-truncate-max-batch-size
  audit-log-truncate-max-event-size audit-log-version audit-webhook-batch-buffer-size
  audit-webhook-batch-max-wait audit-webhook-batch-throttle-burst audit-webhook-batch-throttle-enable
  audit-webhook-batch-throttle-qps audit-webhook-mode audit-webhook-truncate-enabled
  audit-webhook-truncate-max-batch-size audit-webhook-truncate-max-event-size audit-webhook-version
  contention-profiling coordinated-leadership-lease-duration
  coordinated-leadership-renew-deadline coordinated-leadership-retry-period cors-allowed-origins debug-socket-path
  default-not-ready-toleration-seconds default-unreachable-toleration-seconds delete-collection-workers
  disabled-metrics enable-aggregator-routing enable-garbage-collector enable-logs-handler
  endpoint-reconciler-type etcd-cafile etcd-certfile etcd-compaction-interval
  etcd-count-metric-poll-period etcd-db-metric-poll-interval etcd-healthcheck-timeout etcd-keyfile etcd-prefix
  etcd-readycheck-timeout etcd-servers-overrides event-ttl external-hostname goaway-chance
  http2-max-streams-per-connection kubelet-certificate-authority
  kubelet-client-certificate kubelet-client-key kubelet-preferred-address-types kubelet-timeout
  lease-reuse-duration-seconds livez-grace-period log-flush-frequency log-json-info-buffer-size
  log-json-split-stream log-text-info-buffer-size log-text-split-stream logging-format
  max-connection-bytes-per-sec min-request-timeout permit-address-sharing permit-port-sharing profiling
  request-timeout service-account-extend-token-expiration service-account-lookup show-hidden-metrics-for-version
  shutdown-delay-duration shutdown-send-retry-after shutdown-watch-termination-grace-period storage-backend
  storage-initialization-timeout storage-media-type strict-transport-security-directives tls-cipher-suites
  tls-curve-preferences tls-min-version tracing-config-file v vmodule watch-cache watch-cache-sizes
`),
  ),
  missed: new Set(
    words(`
  admission-control aggregator-reject-forwarding-redirect
  disable-http2-serving
  egress-selector-config-file emulated-version emulation-forward-compatible
  encryption-provider-config encryption-provider-config-automatic-reload
  kubernetes-service-node-port min-compatibility-version
  peer-advertise-ip peer-advertise-port peer-ca-file proxy-client-cert-file
  proxy-client-key-file
  runtime-config-emulation-forward-compatible service-account-jwks-uri
  service-account-max-token-expiration service-account-signing-endpoint tls-sni-cert-key
`),
  ),
};

const etcdHeeded = words("cert-file key-file listen-client-urls listen-metrics-urls");

export const etcdFlags: FlagTable = {
  heeded: new Set(etcdHeeded),
  booleans: new Set(
    words(`
  auto-tls client-cert-auth enable-grpc-gateway memory-mlock discovery-insecure-skip-tls-verify discovery-insecure-transport
  enable-distributed-tracing enable-log-rotation enable-pprof force-new-cluster initial-election-tick-advance
  peer-auto-tls peer-client-cert-auth peer-skip-client-san-verification pre-vote socket-reuse-address
  socket-reuse-port strict-reconfig-check unsafe-no-fsync
`),
  ),
  quiet: new Set(
    words(`
  advertise-client-urls auth-token auto-compaction-mode auto-compaction-retention backend-batch-interval
  backend-batch-limit backend-bbolt-freelist-type bootstrap-defrag-threshold-megabytes cipher-suites
  client-cert-allowed-hostname client-cert-file client-key-file compact-hash-check-time compaction-sleep-interval
  corrupt-check-time cors data-dir discovery discovery-cacert discovery-cert discovery-dial-timeout
  discovery-endpoints discovery-fallback discovery-insecure-skip-tls-verify discovery-insecure-transport
  discovery-keepalive-time discovery-keepalive-timeout discovery-key discovery-password discovery-proxy
  discovery-request-timeout discovery-srv discovery-srv-name discovery-token discovery-user
  distributed-tracing-address distributed-tracing-instance-id distributed-tracing-sampling-rate
  distributed-tracing-service-name downgrade-check-time election-timeout enable-distributed-tracing
  enable-grpc-gateway enable-log-rotation enable-pprof feature-gates force-new-cluster grpc-keepalive-interval
  grpc-keepalive-min-time grpc-keepalive-timeout heartbeat-interval host-whitelist initial-advertise-peer-urls
  initial-cluster initial-cluster-state initial-cluster-token initial-election-tick-advance
  listen-client-http-urls listen-peer-urls log-format log-level log-outputs log-rotation-config-json logger
  max-concurrent-streams max-learners max-request-bytes max-snapshots max-txn-ops max-wals memory-mlock metrics
  name peer-auto-tls peer-cert-allowed-cn peer-cert-allowed-hostname peer-cert-file peer-client-cert-auth
  peer-client-cert-file peer-client-key-file peer-crl-file peer-key-file peer-skip-client-san-verification
  peer-trusted-ca-file pre-vote quota-backend-bytes raft-read-timeout raft-write-timeout self-signed-cert-validity
  snapshot-catchup-entries snapshot-count socket-reuse-address socket-reuse-port strict-reconfig-check
  tls-max-version tls-min-version unsafe-no-fsync v2-deprecation wal-dir warning-apply-duration
  warning-unary-request-duration watch-progress-notify-interval
`),
  ),
  missed: new Set(words("client-cert-auth trusted-ca-file client-crl-file auto-tls")),
};
