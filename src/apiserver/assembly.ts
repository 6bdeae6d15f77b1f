/** Joins the parts of the server into one handler. */
import type { Clock, Logger, MetricsRegistry, Random } from "../base/index.js";
import type { Service } from "../api/index.js";
import type { KeyAndCertificate } from "../base/x509/certificate.js";
import { Aggregation } from "./aggregation/index.js";
import type { Audit } from "./audit/audit.js";
import type { AdmissionSettings } from "./admission/settings/read.js";
import { defaultAdmission } from "./admission/index.js";
import { createFieldManager } from "./apply/index.js";
import { type AnonymousUsers, anonymousUsers, openAt } from "./auth/anonymous.js";
import { type Authenticator, byCertificate, byIdentity, byToken } from "./auth/authenticate.js";
import { byFrontProxy, type FrontProxyOptions } from "./auth/front-proxy.js";
import { Impersonation } from "./auth/impersonation/modes.js";
import type { Authentication } from "./auth/open.js";
import { forOwnAudiences, tokenUnion, type TokenUnion } from "./auth/token-union.js";
import type { Authorization } from "./auth/authorize.js";
import { claimGuards } from "./auth/device-claims.js";
import { escalationGuards } from "./auth/rbac/escalation.js";
import { createTokenIssuer, type ServiceAccountTokens, type TokenIssuer, type TokenKeys } from "./auth/tokens.js";
import { ensure, serverScope } from "./bootstrap/bootstrap.js";
import type { UserInfo } from "./contracts/user.js";
import { builtInConversions, convertBuiltIn } from "./conversion/index.js";
import { CustomKinds } from "./crd/custom-kinds.js";
import { definitionStrategy } from "./crd/definition-strategy.js";
import { FlowControl } from "./flow/flow-control.js";
import type { FieldManager } from "./contracts/field-manager.js";
import type { Strategy } from "./contracts/strategy.js";
import { cborCodec, jsonCodec, protobufCodec, yamlCodec } from "./codec/index.js";
import { discoveryRoute } from "./http/documents/documents.js";
import { createHandler, type Handling, type Limits } from "./http/handler.js";
import {
  type HealthOptions,
  healthRoute,
  isHealthPath,
  indicatorsRoute,
  metricsRoute,
  pathsRoute,
  startChecks,
  versionRoute,
} from "./http/documents/health.js";
import { flowRoute } from "./http/documents/flow.js";
import { issuerRoute } from "./http/documents/issuer.js";
import { openApiRoute } from "./http/documents/openapi.js";
import { watchMetrics } from "./http/metrics/watch-metrics.js";
import { createRoute } from "./http/route.js";
import { type Measured, measuredGroups } from "./measured/index.js";
import type { UsageSource } from "./measured/usage.js";
import type { MetricValues } from "./measured/values.js";
import { builtInEndpoints } from "./registry/built-in.js";
import { builtInStrategies } from "./registry/kinds/index.js";
import { Registry } from "./registry/registry.js";
import type { Machinery } from "./contracts/scope.js";
import { ServiceAllocator, type ServiceNetwork } from "./services/allocator.js";
import type { Kubelets } from "./kubelet/kubelets.js";
import type { PodNetwork } from "./subresources/proxy.js";
import { subresourceVerbs } from "./subresources/index.js";
import { reviewVerbs } from "./reviews/reviews.js";
import type { Store } from "./storage/contract.js";
import { WebhookConnections } from "./webhook/call.js";
import { rendererOf } from "./table/index.js";

/** Strategies of kinds whose life cycle the server itself conducts. */

export interface AssemblyOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly limits: Limits;
  readonly authorization: Authorization;
  readonly enabledAdmission: readonly string[];
  readonly admissionSettings: AdmissionSettings;
  readonly disabledAdmission: readonly string[];
  readonly serviceNetwork: ServiceNetwork;
  readonly kubelets: Kubelets;
  readonly podNetwork: PodNetwork | undefined;
  readonly usage: UsageSource | undefined;
  readonly metricValues: MetricValues | undefined;
  readonly serviceAccounts: Pick<ServiceAccountTokens, "issuer" | "audiences">;
  tokenKeys(): TokenKeys;
  /** The certificate by which this server shows extension servers that it speaks for its users. */
  frontProxy(): KeyAndCertificate;
  /** Whether a request without credentials is that of a user, `system:anonymous`; a configuration decides before this. */
  readonly anonymous: boolean;
  readonly priorityAndFairness: boolean;
  /** Whether CBOR is among the media types. */
  readonly cbor: boolean;
  readonly authentication: Authentication;
  readonly trustedProxies: FrontProxyOptions | undefined;
  /** The user of a static token, if there is one. */
  userOfToken(token: string): UserInfo | undefined;
  /** Absent: no request is recorded. */
  readonly audit?: Audit | undefined;
  readonly stopping: AbortSignal;
  /** The host and port under which clients find the server. */
  address(): string;
  isReady(): boolean;
  /** The server that this one is a fork of: kinds and their documents are shared until they change. */
  readonly forkOf?: Assembly | undefined;
}

export interface Assembly extends Handling {
  readonly machinery: Machinery;
  readonly fieldManager: FieldManager;
  readonly registry: Registry;
  readonly customKinds: CustomKinds;
  readonly services: ServiceAllocator;
  readonly aggregation: Aggregation;
  readonly flow: Disposable;
  /** The connections to webhooks. */
  readonly webhooks: Disposable;
  /** Keeps the list of served metrics true. */
  readonly following: Disposable;
}

function guardsOf({ store, authorization }: AssemblyOptions): Machinery["guards"] {
  const { authorizer, rbac } = authorization;
  return new Map([
    ...claimGuards(store, authorizer),
    ...(rbac === undefined ? [] : escalationGuards(rbac, authorizer)),
  ]);
}

function addressesOf(services: ServiceAllocator): Pick<Machinery, "allocators" | "companions"> {
  type Maybe = Service | undefined;
  return {
    allocators: new Map([
      ["services", (object, { old, dryRun }) => services.allocate(object as Service, { old: old as Maybe, dryRun })],
    ]),
    companions: new Map([["services", (old, object) => services.companions(old as Maybe, object as Maybe)]]),
  };
}

export function assemble(options: AssemblyOptions): Assembly {
  const { store, clock, random, log, metrics, limits, authorization, stopping, address, forkOf } = options;
  const { authorizer } = authorization;
  const fieldManager = forkOf?.fieldManager ?? createFieldManager({ convert: convertBuiltIn });
  const services = new ServiceAllocator({ store, clock, random, fieldManager, network: options.serviceNetwork });
  const webhooks = new WebhookConnections(store);
  const shared = { store, clock, random, fieldManager, log, metrics, authorization, webhooks, stopping };
  const machinery: Machinery = {
    store,
    clock,
    random,
    admission: defaultAdmission({
      ...shared,
      registry: () => registry,
      create: (object) => ensure(registry, serverScope(machinery, stopping), { object, manager: "kube-apiserver" }),
      settings: options.admissionSettings,
      enabled: options.enabledAdmission,
      disabled: options.disabledAdmission,
    }),
    authorizer,
    guards: guardsOf(options),
    watchBatches: new WeakMap(),
    watchMeter: watchMetrics(metrics),
    ...addressesOf(services),
  };
  const measured = measuredGroups({ usage: options.usage, values: options.metricValues, fieldManager });
  const registry: Registry = forkOf?.registry.fork() ?? firstRegistry(fieldManager, measured);
  const customKinds = new CustomKinds({ machinery, registry, webhooks, log, stopping, forkOf: forkOf?.customKinds });
  const tokens = createTokenIssuer({ store, clock, ...options.serviceAccounts, keys: () => options.tokenKeys() });
  const tokenUsers = tokenUnionOf(options, tokens);
  const authenticators = authenticatorsOf(options, tokenUsers, tokens);
  const health = (): HealthOptions => healthOf(options);
  const aggregation = aggregationOf(options, machinery, registry);
  const flow = flowControlOf(options, registry);
  const route = createRoute({
    remote: aggregation.route,
    ownVerbs: new Map([
      ...subresourceVerbs({ tokens, kubelets: options.kubelets, podNetwork: options.podNetwork }),
      ...reviewVerbs({ authorization, tokens: tokenUsers, audiences: tokens.audiences }),
      ...measured.verbs,
    ]),
    groups: measured.routes,
    documents: [
      discoveryRoute(registry, address),
      openApiRoute(
        registry,
        (group, version, plural) =>
          measured.schema(group, plural) ?? (customKinds.schema(group, version, plural) as never),
      ),
      issuerRoute(tokens, address),
      healthRoute(health),
      indicatorsRoute(health),
      versionRoute,
      metricsRoute(metrics),
      flowRoute(flow),
      pathsRoute(health),
    ],
  });
  const parts = {
    machinery,
    registry,
    codecs: [jsonCodec, yamlCodec, protobufCodec, ...(options.cbor ? [cborCodec] : [])],
    authenticators,
    authorizer,
    limits,
    log,
    metrics,
    flow,
    isFair: options.priorityAndFairness,
    stopping,
    isRemote: aggregation.isRemote,
    route,
    impersonation: new Impersonation(authorizer, metrics),
    anonymous: anonymousOf(options),
    audit: options.audit,
  };
  const following = measured.follow(registry);
  const own = { customKinds, services, aggregation, flow, webhooks, following };
  return { machinery, fieldManager, registry, ...own, ...createHandler(parts) };
}

function aggregationOf(options: AssemblyOptions, machinery: Machinery, registry: Registry): Aggregation {
  const { log, stopping, limits, forkOf } = options;
  return new Aggregation({
    machinery,
    registry,
    log,
    stopping,
    scope: serverScope(machinery, stopping),
    requestTimeoutMs: limits.requestTimeoutMs,
    certificate: () => options.frontProxy(),
    forkOf: forkOf?.aggregation,
  });
}

function flowControlOf({ store, clock, metrics, limits }: AssemblyOptions, registry: Registry): FlowControl {
  return new FlowControl({
    store,
    clock,
    metrics,
    seats: limits.readsInFlight + limits.writesInFlight,
    collectionOf: (info) =>
      info.type === "resource" ? registry.endpoint(info.group, info.version, info.resource)?.collection : undefined,
  });
}

function firstRegistry(fieldManager: FieldManager, measured: Measured): Registry {
  const { groups, endpoints } = builtInEndpoints({
    strategies: [...builtInStrategies, definitionStrategy as unknown as Strategy],
    fieldManager,
    table: rendererOf,
    conversions: builtInConversions,
  });
  return Registry.of([...groups, ...measured.groups], [...endpoints, ...measured.endpoints]);
}

function healthOf({ store, isReady, stopping }: AssemblyOptions): HealthOptions {
  const ok = (): undefined => undefined;
  const started = (): string | undefined => (isReady() ? undefined : "starting");
  const base = { ping: ok, log: ok };
  const steps = Object.fromEntries(startChecks.map((name) => [name, started]));
  const alive = { ...base, "loopback-serving-certificate": ok, etcd: ok, ...steps };
  const shutdown = (): string | undefined => (stopping.aborted ? "stopping" : undefined);
  const ready = { "etcd-readiness": (): string | undefined => store.refusal, "informer-sync": started };
  return { healthz: alive, livez: alive, readyz: { ...base, etcd: ok, ...ready, ...steps, shutdown } };
}

function anonymousOf({ anonymous, authentication }: AssemblyOptions): AnonymousUsers {
  const configured = authentication.anonymous ?? (anonymous ? { enabled: true, paths: [] } : undefined);
  return configured === undefined ? openAt(isHealthPath) : anonymousUsers(configured);
}

function tokenUnionOf({ userOfToken, authentication }: AssemblyOptions, tokens: TokenIssuer): TokenUnion {
  return tokenUnion([
    forOwnAudiences(tokens.audiences, (token) => tokens.legacyUser(token)),
    (token, audiences) => {
      const verified = tokens.verify(token, audiences);
      if (verified?.type !== "valid") return verified;
      return { type: "user", user: tokens.user(verified.claims), audiences: verified.audiences };
    },
    forOwnAudiences(tokens.audiences, userOfToken),
    ...authentication.tokens,
  ]);
}

function authenticatorsOf(
  { trustedProxies }: AssemblyOptions,
  tokenUsers: TokenUnion,
  { audiences }: TokenIssuer,
): readonly Authenticator[] {
  const proxies = trustedProxies === undefined ? [] : [byFrontProxy(trustedProxies)];
  return [byIdentity, ...proxies, byCertificate(), byToken(tokenUsers, audiences)];
}
