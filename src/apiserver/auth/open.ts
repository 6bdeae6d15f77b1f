/** Takes the options of authentication and authorization; reads their files, and starts the parts that ask other servers. */
import {
  type Clock,
  Lifetime,
  type Logger,
  type MetricsRegistry,
  type Random,
  type Running,
} from "../../base/index.js";
import { type ConfigurationSource, followFile, type FollowOptions, readFrom, textOf } from "../configuration/source.js";
import { KeptConnections } from "../outbound/kept-connections.js";
import { readHookEndpoint } from "../configuration/kubeconfig.js";
import type { Authorizer } from "../contracts/authorizer.js";
import { deepEqual } from "../../api/index.js";
import { abacAuthorizer, type RuledAuthorizer } from "./abac/authorizer.js";
import { type Policy, readPolicies } from "./abac/policies.js";
import type { AnonymousConfiguration } from "./anonymous.js";
import type { FrontProxyOptions } from "./front-proxy.js";
import type { Chain, Link } from "./modes.js";
import { readAuthenticationConfiguration } from "./oidc/configuration.js";
import { Issuers } from "./oidc/issuers.js";
import { signingAlgorithms } from "./oidc/jwt.js";
import { accessMetrics, accessWebhook, type AccessWebhookOptions } from "./remote/access-webhook.js";
import {
  type AuthorizationMode,
  type ConfiguredAuthorizer,
  readAuthorizationConfiguration,
} from "./remote/configuration.js";
import { tokenWebhook, type TokenWebhookOptions } from "./remote/token-webhook.js";
import { forOwnAudiences, type TokenAuthenticator } from "./token-union.js";
import { ConfigurationError } from "../configuration/section.js";

/** Ways to know users besides client certificates, static tokens and service accounts. */
export interface AuthenticationOptions {
  /**
   * An AuthenticationConfiguration of apiserver.config.k8s.io: issuers of JSON Web Tokens, and anonymous users. A file
   * is read again when it changes, but for anonymous users, which stay as they were.
   */
  readonly configuration?: ConfigurationSource;
  /** The algorithms by which issuers may sign tokens. Default: RS, ES and PS with SHA-256, -384 and -512. */
  readonly signingAlgorithms?: readonly string[];
  /** Asks another server about tokens that are not known here. */
  readonly webhook?: TokenWebhookOptions;
  /** Trusts the headers by which proxies name the users whom they have authenticated. */
  readonly frontProxy?: FrontProxyOptions;
}

/** A webhook among the authorizers. */
export interface WebhookAuthorizer extends AccessWebhookOptions {
  readonly type: "Webhook";
}

/** Policies of ABAC among the authorizers. */
export interface PolicyAuthorizer {
  readonly type: "ABAC";
  /** A JSON object a line, of abac.authorization.kubernetes.io/v1beta1. A file is read at the start alone. */
  readonly policies: ConfigurationSource;
}

/**
 * Modes, policies and webhooks in the order in which they are asked, or an AuthorizationConfiguration of
 * apiserver.config.k8s.io, with the policies of its authorizer ABAC.
 */
export type AuthorizationOption =
  | AuthorizationMode
  | readonly (AuthorizationMode | PolicyAuthorizer | WebhookAuthorizer)[]
  | { readonly configuration: ConfigurationSource; readonly policies?: ConfigurationSource };

export interface AuthParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

export interface Authentication extends AsyncDisposable {
  /** Behind the tokens that the server knows itself. */
  readonly tokens: readonly TokenAuthenticator[];
  /** Undefined if no configuration says anything about them. */
  readonly anonymous: AnonymousConfiguration | undefined;
}

interface TokenNames {
  readonly issuer: string;
  readonly audiences: readonly string[];
}

/** Rejects for a configuration that cannot be used. */
export async function openAuthentication(
  options: AuthenticationOptions,
  parts: AuthParts,
  { issuer, audiences }: TokenNames,
): Promise<Authentication> {
  const { configuration, webhook, signingAlgorithms: algorithms = signingAlgorithms } = options;
  const unknown = algorithms.find((name) => !signingAlgorithms.includes(name));
  if (unknown !== undefined) throw new ConfigurationError(`oidc: unsupported signing alg: ${JSON.stringify(unknown)}`);
  const stop = new AbortController();
  const lifetime = new Lifetime();
  const tokens: TokenAuthenticator[] = [];
  let anonymous: AnonymousConfiguration | undefined;
  if (configuration !== undefined) {
    const read = (text: string): ReturnType<typeof readAuthenticationConfiguration> =>
      readAuthenticationConfiguration(text, [issuer]);
    const text = await textOf(configuration);
    const first = readFrom(configuration, text, read);
    ({ anonymous } = first);
    const issuers = lifetime.use(new Issuers({ ...parts, algorithms }).start(first.issuers));
    tokens.push(forOwnAudiences(audiences, (token) => issuers.userOf(token)));
    const changed = async (now: string, signal: AbortSignal): Promise<void> => {
      const next = read(now);
      if (!deepEqual(next.anonymous, anonymous))
        throw new ConfigurationError("anonymous: Forbidden: changed from initial configuration file");
      await issuers.replace(next.issuers, signal);
    };
    following(lifetime, configuration, { text, changed, ...parts, what: "authentication" });
  }
  if (webhook !== undefined) {
    const connections = lifetime.use(new KeptConnections());
    tokens.push(tokenWebhook(webhook, { ...parts, audiences, connections, stopping: stop.signal }));
  }
  return { tokens, anonymous, [Symbol.asyncDispose]: () => ended(stop, lifetime) };
}

export interface OpenAuthorization extends AsyncDisposable {
  readonly chain: Chain;
}

/** Rejects for a configuration that cannot be used. */
export async function openAuthorization(option: AuthorizationOption, parts: AuthParts): Promise<OpenAuthorization> {
  const stop = new AbortController();
  const lifetime = new Lifetime();
  const connections = lifetime.use(new KeptConnections());
  const metrics = accessMetrics(parts.metrics);
  const hook = (options: Parameters<typeof accessWebhook>[0]): Authorizer =>
    accessWebhook(options, { ...parts, metrics, connections, stopping: stop.signal });
  const end = { [Symbol.asyncDispose]: () => ended(stop, lifetime) };
  if (typeof option === "string" || !("configuration" in option)) {
    const open = async (one: OpenedOption): Promise<Link> => {
      if (typeof one === "string") return one;
      return one.type === "ABAC" ? abacAuthorizer(await policiesIn(one.policies)) : hook(one);
    };
    const links = await Promise.all([option].flat().map(open));
    return { chain: () => links, ...end };
  }
  const { configuration, policies = { file: "" } } = option;
  let abac: RuledAuthorizer | undefined;
  const linked = async (authorizers: readonly ConfiguredAuthorizer[]): Promise<readonly Link[]> =>
    Promise.all(
      authorizers.map(async (one) => {
        if (one === "ABAC") return (abac ??= abacAuthorizer(await policiesIn(policies)));
        return typeof one === "string" ? one : hook({ ...one, endpoint: await readHookEndpoint(one.kubeconfig) });
      }),
    );
  const text = await textOf(configuration);
  const first = readFrom(configuration, text, readAuthorizationConfiguration);
  let links = await linked(first);
  const changed = async (now: string): Promise<void> => {
    const next = readAuthorizationConfiguration(now);
    requireModes(first, next);
    links = await linked(next);
  };
  following(lifetime, configuration, { text, changed, ...parts, what: "authorization" });
  return { chain: () => links, ...end };
}

type OpenedOption = Extract<AuthorizationOption, readonly unknown[]>[number];

const policiesIn = async (source: ConfigurationSource): Promise<readonly Policy[]> =>
  readPolicies(await textOf(source), typeof source === "string" ? "" : source.file);

/** As upstream, modes that a server has started with stay, and no others come. */
function requireModes(first: readonly ConfiguredAuthorizer[], next: readonly ConfiguredAuthorizer[]): void {
  const modesIn = (list: readonly ConfiguredAuthorizer[]): readonly string[] =>
    list.filter((one) => typeof one === "string").toSorted();
  const missing = modesIn(first).filter((mode) => !modesIn(next).includes(mode));
  if (missing.length > 0) throw new ConfigurationError(`missing required types: [${missing.join(" ")}]`);
  const started = (["Node", "RBAC", "ABAC"] as const).find(
    (mode) => modesIn(next).includes(mode) && !modesIn(first).includes(mode),
  );
  if (started === undefined) return;
  const why = "is not allowed if it was not enabled at initial server startup";
  throw new ConfigurationError(`authorizer type ${started} ${why}`);
}

type Following = Pick<FollowOptions, "clock" | "log" | "text" | "changed"> & {
  readonly metrics: MetricsRegistry;
  readonly what: "authentication" | "authorization";
};

/** Follows the configuration if it is a file. */
function following(lifetime: Lifetime, source: ConfigurationSource, { metrics, what, ...options }: Following): void {
  if (typeof source === "string") return;
  const reloads = metrics.counter({
    name: `apiserver_${what}_config_controller_automatic_reloads_total`,
    help: `Reloads of the ${what} configuration, by their outcome.`,
    labels: ["status"],
  });
  const reloaded = (isGood: boolean): void => reloads.with({ status: isGood ? "success" : "failure" }).inc();
  const running: Running = followFile(source.file, { ...options, reloaded });
  lifetime.use(running);
}

async function ended(stop: AbortController, lifetime: Lifetime): Promise<void> {
  stop.abort(new Error("the server is stopping"));
  await lifetime[Symbol.asyncDispose]();
}
