/** One extender: a server that filters and rates nodes, chooses victims and binds pods, asked over HTTP. */
import { readFile } from "node:fs/promises";
import {
  type Binding,
  type Container,
  durationToMs,
  goQuote,
  type Node,
  parseDuration,
  type Pod,
} from "../../api/index.js";
import { type Clock, messageOf, operationOn } from "../../base/index.js";
import { timeLimit } from "../../base/time/time-limit.js";
import { defined } from "../../base/defined.js";
import { withoutEndSlashes } from "../../base/net/end-slashes.js";
import { goWords } from "../../base/net/go-words.js";
import { ConnectionError, type HttpTransport, httpTransport } from "../../client/index.js";
import type { ExtenderConfiguration, ExtenderTls } from "../configuration/types.js";
import { isRecord } from "../../base/members.js";
import { collected } from "../../base/net/streams.js";

const usualTimeoutMs = 5_000;
/** Longer answers are refused. */
const longestAnswer = 32 * 1024 * 1024;

/** Nodes that the extender refuses, with its words about each. */
type FailedNodes = ReadonlyMap<string, string>;

export interface FilterAnswer {
  /** The names of the nodes that fit. */
  readonly nodes: readonly string[];
  readonly failed: FailedNodes;
  readonly unresolvable: FailedNodes;
}

/** The pods that must go from a node. */
export interface Victims {
  readonly pods: readonly Pod[];
  readonly violations: number;
}

/** As an extender names them: by the uids of pods. */
export interface NamedVictims {
  readonly uids: readonly string[];
  readonly violations: number;
}

export class Extender implements AsyncDisposable {
  readonly #configuration: ExtenderConfiguration;
  readonly #clock: Clock;
  readonly #transport: HttpTransport;
  readonly #managed: ReadonlySet<string>;
  readonly #timeoutMs: number;
  readonly name: string;

  constructor(configuration: ExtenderConfiguration, clock: Clock) {
    this.#configuration = configuration;
    this.#clock = clock;
    this.name = configuration.urlPrefix ?? "";
    const { managedResources = [], httpTimeout, tlsConfig = {}, enableHTTPS } = configuration;
    this.#managed = new Set(managedResources.map(({ name }) => name));
    this.#timeoutMs =
      httpTimeout === undefined ? usualTimeoutMs : durationToMs(parseDuration(httpTimeout)) || usualTimeoutMs;
    const hasAuthority = Boolean(tlsConfig.caFile || tlsConfig.caData);
    if (tlsConfig.insecure && hasAuthority) {
      throw new Error("specifying a root certificates file with the insecure flag is not allowed");
    }
    const insecureSkipTlsVerify = tlsConfig.insecure || (enableHTTPS && !hasAuthority);
    const tls = tlsMaterial(tlsConfig);
    this.#transport = httpTransport({
      server: new URL(withoutEndSlashes(this.name)),
      clock,
      http1: true,
      tls,
      ...defined({ insecureSkipTlsVerify, tlsServerName: tlsConfig.serverName }),
    });
  }

  get isIgnorable(): boolean {
    return this.#configuration.ignorable ?? false;
  }

  get filters(): boolean {
    return Boolean(this.#configuration.filterVerb);
  }

  get prioritizes(): boolean {
    return Boolean(this.#configuration.prioritizeVerb);
  }

  get preempts(): boolean {
    return Boolean(this.#configuration.preemptVerb);
  }

  get binds(): boolean {
    return Boolean(this.#configuration.bindVerb);
  }

  /** An extender that manages resources is asked about the pods that ask for one of them. */
  isInterested({ spec }: Pod): boolean {
    if (this.#managed.size === 0) return true;
    const asks = ({ resources }: Container): boolean =>
      [resources?.requests, resources?.limits].some((list) =>
        Object.keys(list ?? {}).some((name) => this.#managed.has(name)),
      );
    return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some(asks);
  }

  async filter(pod: Pod, nodes: readonly Node[], signal: AbortSignal): Promise<FilterAnswer> {
    const answer = await this.#ask("filterVerb", { Pod: pod, ...this.#listed(nodes) }, signal);
    const error = member(answer, "Error");
    if (error) throw new Error(String(error));
    const names = this.#configuration.nodeCacheCapable ? asList(member(answer, "NodeNames")) : undefined;
    const items = asList(member(member(answer, "Nodes"), "Items"));
    const given = new Set(nodes.map(({ metadata }) => metadata.name));
    const fitting = names?.map(String) ?? (items ?? []).map((item) => String(member(member(item, "Metadata"), "Name")));
    const stranger = fitting.find((name) => !given.has(name));
    if (stranger !== undefined) {
      const claim = `claims a filtered node ${goQuote(stranger)} which is not found in the input node list`;
      throw new Error(`extender ${goQuote(this.name)} ${claim}`);
    }
    return {
      nodes: fitting,
      failed: asTexts(member(answer, "FailedNodes")),
      unresolvable: asTexts(member(answer, "FailedAndUnresolvableNodes")),
    };
  }

  /** The scores by node, with the extender's weight. */
  async prioritize(pod: Pod, nodes: readonly Node[], signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const answer = await this.#ask("prioritizeVerb", { Pod: pod, ...this.#listed(nodes) }, signal);
    const { weight = 0 } = this.#configuration;
    const scores = new Map<string, number>();
    for (const item of asList(answer) ?? []) {
      const host = String(member(item, "Host") ?? "");
      scores.set(host, (scores.get(host) ?? 0) + Number(member(item, "Score") ?? 0) * weight * perPoint);
    }
    return scores;
  }

  async preempt(
    pod: Pod,
    victims: ReadonlyMap<string, Victims>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, NamedVictims>> {
    const { nodeCacheCapable } = this.#configuration;
    const entries = [...victims].map(([node, { pods, violations }]) => [
      node,
      {
        Pods: nodeCacheCapable ? pods.map(({ metadata }) => ({ UID: metadata.uid ?? "" })) : pods,
        NumPDBViolations: violations,
      },
    ]);
    const key = nodeCacheCapable ? "NodeNameToMetaVictims" : "NodeNameToVictims";
    const answer = await this.#ask("preemptVerb", { Pod: pod, [key]: Object.fromEntries(entries) }, signal);
    const chosen = Object.entries(asRecord(member(answer, "NodeNameToMetaVictims")));
    return new Map(
      chosen.map(([node, of]) => [
        node,
        {
          uids: (asList(member(of, "Pods")) ?? []).map((one) => String(member(one, "UID") ?? "")),
          violations: Number(member(of, "NumPDBViolations") ?? 0),
        },
      ]),
    );
  }

  async bind({ metadata, target }: Binding, signal: AbortSignal): Promise<void> {
    const { name, namespace = "", uid = "" } = metadata;
    const body = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: target.name ?? "" };
    const error = member(await this.#ask("bindVerb", body, signal), "Error");
    if (error) throw new Error(String(error));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }

  /** Extenders with a cache of their own get the names of nodes alone. */
  #listed(nodes: readonly Node[]): object {
    return this.#configuration.nodeCacheCapable
      ? { Nodes: null, NodeNames: nodes.map(({ metadata }) => metadata.name) }
      : { Nodes: { metadata: {}, items: nodes }, NodeNames: null };
  }

  async #ask(verb: Verb, body: object, signal: AbortSignal): Promise<unknown> {
    const action = this.#configuration[verb] ?? "";
    const url = `${withoutEndSlashes(this.name)}/${action}`;
    const late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
    using _operation = operationOn(this.#clock);
    using limit = timeLimit(this.#clock, this.#timeoutMs, late, signal);
    let status: number;
    let text: string;
    try {
      ({ status, text } = await this.#post(`/${action}`, body, limit.signal));
    } catch (error) {
      if (signal.aborted) throw error;
      throw new Error(`Post ${goQuote(url)}: ${limit.signal.aborted ? late : this.#words(error)}`, {
        cause: error,
      });
    }
    if (status !== 200) throw new Error(`failed ${action} with extender at URL ${url}, code ${status}`);
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Error(`${action} with extender at URL ${url}: ${messageOf(error)}`, { cause: error });
    }
  }

  #words(error: unknown): string {
    const { hostname: host, port, protocol } = new URL(this.name);
    const cause = error instanceof ConnectionError ? (error.cause ?? error) : error;
    return goWords(cause, { host, port: Number(port) || (protocol === "https:" ? 443 : 80) }, false);
  }

  async #post(
    path: string,
    body: object,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = { "content-type": "application/json" };
    const { status, body: told } = await this.#transport.send({ method: "POST", path, headers, body: bytes }, signal);
    const tooLarge = (): Error => new Error(`the answer is larger than ${longestAnswer} bytes`);
    const answer = told instanceof Uint8Array ? Buffer.from(told) : await collected(told, longestAnswer, tooLarge);
    return { status, text: answer.toString() };
  }
}

type Verb = "filterVerb" | "prioritizeVerb" | "preemptVerb" | "bindVerb";

/** An extender's score goes up to 10, a node's up to 100. */
const perPoint = 10;

/** Go's decoder takes the names of members in any case. */
function member(value: unknown, name: string): unknown {
  const fields = asRecord(value);
  if (Object.hasOwn(fields, name)) return fields[name];
  const wanted = name.toLowerCase();
  return Object.entries(fields).find(([key]) => key.toLowerCase() === wanted)?.[1];
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

const asList = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

const asTexts = (value: unknown): FailedNodes =>
  new Map(Object.entries(asRecord(value)).map(([node, text]) => [node, String(text)]));

/** Files are read for each new connection, so that renewed ones are noticed. */
function tlsMaterial({ caFile, caData, certFile, certData, keyFile, keyData }: ExtenderTls) {
  const read = async (file?: string, data?: string): Promise<string | undefined> => {
    if (data) return Buffer.from(data, "base64").toString();
    return file ? await readFile(file, "utf8") : undefined;
  };
  return async () => {
    const [ca, cert, key] = await Promise.all([read(caFile, caData), read(certFile, certData), read(keyFile, keyData)]);
    return defined({ ca, cert, key });
  };
}
