/** The webhooks of one program: serves them, keeps their certificates, and writes their configurations. */
import {
  type ConvertibleType,
  CustomResourceDefinition,
  type KubeObject,
  MutatingWebhookConfiguration,
  type PolicyRule,
  type ResourceType,
  ValidatingWebhookConfiguration,
} from "../api/index.js";
import {
  abortable,
  type Clock,
  isLoopback,
  type Logger,
  messageOf,
  type MetricsRegistry,
  type Running,
  startRunning,
} from "../base/index.js";
import type { Client } from "../client/index.js";
import { admit, type Asking, failedAnswer } from "./admission.js";
import { certificatesFrom, type Mounted } from "./certificates/folder.js";
import { bundleOf, defaultLives, type Lives, type Plan } from "./certificates/plan.js";
import { certificatesIn } from "./certificates/secret.js";
import {
  type Address,
  configurationsOf,
  conversionPart,
  conversionPath,
  doesDefault,
  doesValidate,
  webhookPath,
} from "./configurations.js";
import { type ConversionRequest, convertAll } from "./conversion.js";
import { reviewMeter } from "./metrics.js";
import { type NeededRule, rulesByName } from "./needed-rules.js";
import {
  type AnyWebhook,
  checkWebhookOptions,
  type WebhookOptions,
  type WebhookServerOptions,
  type WebhookService,
} from "./options.js";
import { type Asked, type ReviewServer, startReviewServer } from "./server.js";

/** The field manager of everything that is written here. */
const fieldManager = "coxswain-webhooks";
const retryMs = 5_000;
/** The interval at which certificates and configurations are looked after: several times in the time that a new authority spreads. */
const secretPollMs = 3_600_000;
const folderPollMs = 60_000;

export interface WebhookHostOptions {
  readonly client: Pick<Client, "resource" | "host">;
  readonly server: WebhookServerOptions;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: MetricsRegistry;
  /** For tests: shorter lives of certificates. */
  readonly lives?: Lives;
}

interface Route {
  readonly webhook: AnyWebhook;
  readonly asking: Asking;
}

interface Published {
  readonly configurations: readonly (MutatingWebhookConfiguration | ValidatingWebhookConfiguration)[];
  /** For each kind in several versions the part of its definition that is about conversion. */
  readonly conversions: readonly CustomResourceDefinition[];
}

/** The objects that a cluster needs for the webhooks before they run. */
export interface ServedWebhooks extends Published {
  /** The port on which the program listens. */
  readonly port: number;
  /** Undefined if the server is told the program's own address; there are no objects then. */
  readonly service: WebhookService | undefined;
}

/**
 * Invariants:
 * 1. The server listens with the certificate of the last round that succeeded.
 * 2. A configuration is written only after the server listens, and names only authorities that were in the Secret.
 */
export class WebhookHost {
  readonly #options: WebhookHostOptions;
  readonly #webhooks: AnyWebhook[] = [];
  readonly #kinds: ConvertibleType[] = [];
  readonly #routes = new Map<string, Route>();
  #server: ReviewServer | undefined;
  #problem: string | undefined = "the webhooks are not served yet";

  constructor(options: WebhookHostOptions) {
    this.#options = options;
  }

  add<T extends KubeObject>(options: WebhookOptions<T>): void {
    checkWebhookOptions(options as never);
    const webhook = options as unknown as AnyWebhook;
    for (const asking of ["default", "validate"] as const) {
      if (!(asking === "default" ? doesDefault : doesValidate)(webhook)) continue;
      const path = webhookPath(webhook, asking);
      if (this.#routes.has(path))
        throw new Error(`there is already a webhook of ${options.for.kind} at ${path}: give one of them a name`);
      this.#routes.set(path, { webhook, asking });
    }
    this.#webhooks.push(webhook);
  }

  /** Serves the conversion of a kind with several versions; once is enough. */
  converts(kind: ConvertibleType): void {
    if (!this.isConverting(kind)) this.#kinds.push(kind);
  }

  /** Whether the server asks this program for the conversion of a kind, and so cannot list it all without an answer. */
  isConverting(type: Pick<ResourceType, "group" | "plural">): boolean {
    return this.#kinds.some(({ group, plural }) => group === type.group && plural === type.plural);
  }

  /** False if there is nothing to serve. */
  get isNeeded(): boolean {
    return this.#webhooks.length > 0 || this.#kinds.length > 0;
  }

  /** The kinds that webhooks are about. */
  get types(): readonly ResourceType[] {
    return this.#webhooks.map(({ for: type }) => type);
  }

  /** The reason why reviews are not answered now; undefined if they are. */
  problem(): string | undefined {
    return this.isNeeded ? this.#problem : undefined;
  }

  /** The port, once the server listens. */
  get port(): number | undefined {
    return this.#server?.port;
  }

  /** The permissions that it needs. */
  permissions(): readonly NeededRule[] {
    if (!this.isNeeded) return [];
    const { name, certificates } = this.#options.server;
    const named = (
      group: string,
      resource: string,
      names: readonly string[],
      verbs: readonly string[],
    ): PolicyRule[] => (names.length === 0 ? [] : rulesByName(group, resource, { names, verbs }));
    const group = "admissionregistration.k8s.io";
    const names = (does: (webhook: AnyWebhook) => boolean): readonly string[] =>
      this.#webhooks.some(does) ? [name] : [];
    const verbs = ["create", "get", "patch"];
    const definitions = this.#kinds.map(({ plural, group: of }) => `${plural}.${of}`);
    const rules = [
      ...named(group, "mutatingwebhookconfigurations", names(doesDefault), verbs),
      ...named(group, "validatingwebhookconfigurations", names(doesValidate), verbs),
      ...named("apiextensions.k8s.io", "customresourcedefinitions", definitions, ["get", "patch"]),
    ].map((rule): NeededRule => ({ rule }));
    if (!("secret" in certificates)) return rules;
    const { secret } = certificates;
    const secrets = named("", "secrets", [secret.name], ["create", "get", "update"]);
    return [...rules, ...secrets.map((rule) => ({ namespace: secret.namespace, rule }))];
  }

  /** The objects that make a server ask, without the authority that they trust; undefined if there is nothing to serve. */
  served(): ServedWebhooks | undefined {
    if (!this.isNeeded) return undefined;
    const { service, port = 9443 } = this.#options.server;
    if (service === undefined) return { port, service, configurations: [], conversions: [] };
    const { configurations, conversions } = this.#objects({ address: { service }, caBundle: "" });
    return { port, service, configurations, conversions };
  }

  start(): Running {
    return startRunning((signal) => this.#run(signal));
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { client, clock, log, server } = this.#options;
    refuseFarServer(client.host, server);
    const pollMs = "secret" in server.certificates ? secretPollMs : folderPollMs;
    try {
      for (;;) {
        const failed = await this.#round(signal).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (signal.aborted) return;
        this.#problem = failed === undefined ? undefined : `the webhooks are not in order: ${messageOf(failed)}`;
        if (failed !== undefined) log.warn("the webhooks could not be set up, and are tried again", { error: failed });
        await clock.sleep(failed === undefined ? pollMs : retryMs, signal);
      }
    } finally {
      await this.#server?.close();
      this.#server = undefined;
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { serving, bundle } = await this.#certificates(signal);
    if (this.#server !== undefined) this.#server.renew(serving);
    else {
      const { clock, log, metrics } = this.#options;
      const { port = 9443, service } = this.#options.server;
      const host = service === undefined ? hostOf(this.#options.server) : this.#options.server.host;
      const meter = metrics && reviewMeter(metrics, clock);
      const respond = (asked: Asked): Promise<object> | undefined => this.#respond(asked);
      const told = { respond, meter, clock, log };
      this.#server = await startReviewServer({ host, port, identity: serving, ...told });
    }
    await this.#publish(bundle, signal);
  }

  async #certificates(signal: AbortSignal): Promise<Mounted> {
    const { client, server, clock, lives = defaultLives } = this.#options;
    const { certificates, service } = server;
    if ("directory" in certificates) return certificatesFrom(certificates.directory);
    const named = service && `${service.name}.${service.namespace}.svc`;
    const hosts = named === undefined ? [hostOf(server)] : [named, `${named}.cluster.local`];
    const plan = (): Plan => ({ hosts, now: clock.now(), lives });
    const made = await certificatesIn(client, certificates.secret, { plan, signal });
    return { serving: made.serving, bundle: bundleOf(made) };
  }

  async #publish(caBundle: string, signal: AbortSignal): Promise<void> {
    const { client, server } = this.#options;
    const { name } = server;
    const host = hostOf(server);
    const url = `https://${host.includes(":") ? `[${host}]` : host}:${this.port}`;
    const address: Address = server.service === undefined ? { url } : { service: server.service };
    const apply = { fieldManager, force: true, signal };
    const { configurations, conversions } = this.#objects({ address, caBundle });
    for (const one of configurations) {
      const type =
        one.kind === "MutatingWebhookConfiguration" ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration;
      const resource = client.resource<Configuration>(type as ResourceType<Configuration>);
      const stored = server.service && (await resource.getOrUndefined(name, { signal }));
      await resource.apply(besideInstaller(one, stored), apply);
    }
    const definitions = client.resource(CustomResourceDefinition);
    for (const [index, part] of conversions.entries()) {
      const { name: definition } = part.metadata;
      if ((await definitions.getOrUndefined(definition, { signal })) === undefined)
        throw new Error(
          `there is no definition ${definition}; installDefinition(client, crdOf(${this.#kinds[index]?.kind})) makes it`,
        );
      await definitions.apply(part, apply);
    }
  }

  #objects(where: { readonly address: Address; readonly caBundle: string }): Published {
    const { mutating, validating } = configurationsOf(this.#options.server.name, this.#webhooks, where);
    return {
      configurations: [mutating ?? [], validating ?? []].flat(),
      conversions: this.#kinds.map((kind) => conversionPart(kind, where)),
    };
  }

  #respond({ path, request, signal }: Asked): Promise<object> | undefined {
    if (path === conversionPath && this.#kinds.length > 0)
      return Promise.resolve(convertAll(this.#kinds, request as unknown as ConversionRequest));
    const route = this.#routes.get(path);
    return route && this.#admit(route, request as never, signal);
  }

  /** A function that does not answer in time is left alone; its request is refused. */
  async #admit(
    { webhook, asking }: Route,
    request: Parameters<typeof admit>[2]["request"],
    signal: AbortSignal,
  ): Promise<object> {
    try {
      return await abortable(admit(webhook, asking, { request, signal }), signal);
    } catch (error) {
      const { kind } = webhook.for;
      this.#options.log.error("a webhook's function failed", { asking, kind, name: request.name, error });
      return failedAnswer(webhook, asking, { uid: request.uid, error });
    }
  }
}

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/**
 * The configuration without the fields that an installer, such as Helm or kubectl, has written: its webhooks are its own
 * to change in an upgrade, and get the authority alone.
 */
function besideInstaller(wanted: Configuration, stored: Configuration | undefined): Configuration {
  const others = (stored?.metadata.managedFields ?? []).filter(({ manager }) => manager !== fieldManager);
  const installed = new Set(others.flatMap(({ fieldsV1 }) => Object.keys(Object(Object(fieldsV1)["f:webhooks"]))));
  const webhooks = (wanted.webhooks ?? []).map((one) => {
    const { name, clientConfig } = one;
    if (!installed.has(`k:${JSON.stringify({ name })}`)) return one;
    return { name, clientConfig: { caBundle: clientConfig.caBundle } };
  });
  return { ...wanted, webhooks } as Configuration;
}

/** The host that the server is told if there is no Service. */
const hostOf = ({ host = "127.0.0.1" }: WebhookServerOptions): string => host;

/**
 * Throws if the server is on another machine and would be told a loopback address: it would ask itself, get no answer,
 * and refuse the objects of all users.
 */
function refuseFarServer(server: string, options: WebhookServerOptions): void {
  if (options.service !== undefined || server === "" || !isLoopback(hostOf(options))) return;
  const { hostname } = new URL(`https://${server}`);
  if (isLoopback(hostname.replace(/^\[(.*)\]$/, "$1"))) return;
  throw new Error(
    `the API server at ${server} cannot reach webhooks on the loopback of this machine: give the host and port at which it can ` +
      "(--webhook-address), a Service in front of this program (--webhook-service), or leave the webhooks out (--webhook-address 0)",
  );
}
