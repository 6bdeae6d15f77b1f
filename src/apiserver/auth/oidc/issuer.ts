/** One issuer of tokens: finds its keys by discovery, and gives the users of its tokens (OpenID Connect Discovery 1.0; Core 1.0, section 3.1.3.7). */
import { after } from "../../../base/time/awaitable.js";
import { isRecord } from "../../../base/members.js";
import {
  type Clock,
  linkedAbort,
  type Logger,
  messageOf,
  OutageLog,
  Recent,
  type Running,
  startRunning,
} from "../../../base/index.js";
import { timeLimit } from "../../../base/time/time-limit.js";
import type { UserInfo } from "../../contracts/user.js";
import { getFrom } from "../../outbound/get.js";
import type { Received } from "../../outbound/send.js";
import type { BadToken } from "../token-union.js";
import type { JwtConfiguration } from "./configuration.js";
import { namedIssuer, readToken } from "./jwt.js";
import { KeySet } from "./key-set.js";
import { BadClaims, type Claims, userOf } from "./mapping.js";
import { audienceFault, timeFault, typeFault } from "./token-checks.js";
import { goQuotes } from "../../../api/go-quote.js";

const requestTimeoutMs = 30_000;
const pauseMs = 10_000;
/** As upstream, a token that was found good counts as good for this time. */
const keptMs = 10_000;

export interface IssuerParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** The algorithms by which tokens may be signed. */
  readonly algorithms: readonly string[];
  readonly metrics: IssuerMetrics;
}

export interface IssuerMetrics {
  judged(issuer: string, isGood: boolean, seconds: number): void;
  keysFetched(issuer: string, document: string | undefined): void;
}

type Verdict = UserInfo | BadToken;

interface Kept {
  readonly user: UserInfo;
  readonly until: number;
}

/** Invariant: `#keys` is undefined until discovery has succeeded once; tokens are refused until then. */
export class Issuer implements AsyncDisposable {
  readonly #configuration: JwtConfiguration;
  readonly #parts: IssuerParts;
  readonly #stop = linkedAbort();
  readonly #kept = new Recent<string, Kept>({ weight: 1 << 20 });
  #keys: KeySet | undefined;
  #discovery: Running | undefined;
  #fault: string;

  constructor(configuration: JwtConfiguration, parts: IssuerParts) {
    this.#configuration = configuration;
    this.#parts = parts;
    this.#fault = `oidc: authenticator for issuer ${JSON.stringify(configuration.url)} is not initialized`;
  }

  get url(): string {
    return this.#configuration.url;
  }

  /** The reason why tokens cannot be judged yet. */
  get fault(): string | undefined {
    return this.#keys === undefined ? this.#fault : undefined;
  }

  /** Looks for the issuer's keys, and goes on until it has found them. */
  start(): this {
    const { clock, log } = this.#parts;
    const words = { failing: "an issuer of tokens cannot be used", over: "the issuer of tokens can be used" };
    const outage = new OutageLog({ logger: log.child({ issuer: this.url }), clock, ...words });
    this.#discovery = startRunning(async (signal) => {
      while (this.#keys === undefined) {
        try {
          this.#keys = this.#keySet(await this.#discover());
          outage.worked();
        } catch (error) {
          if (signal.aborted) return;
          this.#fault = messageOf(error);
          outage.failed({ error });
          await clock.sleep(pauseMs, signal);
        }
      }
    }, this.#stop.signal);
    return this;
  }

  /** Undefined for a token that names another issuer. A promise only if the issuer has to be asked. */
  userOf(token: string): Verdict | undefined | Promise<Verdict> {
    if (namedIssuer(token) !== this.url) return undefined;
    const { clock } = this.#parts;
    const kept = this.#kept.get(token);
    if (kept !== undefined && clock.now() < kept.until) return kept.user;
    const startedAt = clock.monotonic();
    const done = (verdict: Verdict): Verdict => {
      const isGood = !("type" in verdict);
      this.#parts.metrics.judged(this.url, isGood, (clock.monotonic() - startedAt) / 1000);
      if (!isGood) return verdict;
      this.#kept.set(token, { user: verdict, until: clock.now() + keptMs }, token.length);
      return verdict;
    };
    return after(this.#judge(token), done);
  }

  #judge(token: string): Verdict | Promise<Verdict> {
    if (this.#keys === undefined) return refused("oidc: authenticator not initialized");
    const read = readToken(token);
    if (typeof read === "string") return refused(`oidc: verify token: ${read}`);
    const { algorithms } = this.#parts;
    if (!algorithms.includes(read.algorithm)) {
      const why = `expected ${goQuotes(algorithms)} got ${JSON.stringify(read.algorithm)}`;
      return refused(`oidc: verify token: oidc: id token signed with unsupported algorithm, ${why}`);
    }
    const judged = (why: string | undefined): Verdict =>
      why === undefined ? this.#user(read.claims) : refused(`oidc: verify token: ${why}`);
    return after(this.#keys.verify(read), judged);
  }

  /** The user of a token whose signature is good. */
  #user(claims: Claims): Verdict {
    const { audiences } = this.#configuration;
    const why = typeFault(claims) ?? audienceFault(claims, audiences) ?? timeFault(claims, this.#parts.clock.now());
    if (why !== undefined) return refused(`oidc: verify token: ${why}`);
    try {
      return userOf(claims, this.#configuration);
    } catch (error) {
      if (error instanceof BadClaims) return refused(error.message);
      throw error;
    }
  }

  /** The place of the keys. */
  async #discover(): Promise<string> {
    const { discoveryUrl, url } = this.#configuration;
    const place = discoveryUrl ?? `${url.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const { status, statusText, text } = await this.#get(place);
    if (status !== 200) throw new Error(`${status} ${statusText}: ${text}`);
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch (error) {
      throw new Error(`oidc: failed to decode provider discovery object: ${messageOf(error)}`, { cause: error });
    }
    const { issuer = "", jwks_uri: keys = "" } = isRecord(document) ? document : {};
    if (issuer !== url) {
      const why = `expected ${JSON.stringify(url)} got ${JSON.stringify(issuer)}`;
      throw new Error(`oidc: issuer did not match the issuer returned by provider, ${why}`);
    }
    if (typeof keys !== "string" || keys === "") throw new Error("provider did not return JWKS URL");
    return keys;
  }

  #keySet(place: string): KeySet {
    const { clock, metrics } = this.#parts;
    return new KeySet({
      clock,
      fetch: () => this.#get(place),
      fetched: (document) => metrics.keysFetched(this.url, document),
    });
  }

  async #get(place: string): Promise<Received> {
    const late = "the time for the request is over";
    using request = timeLimit(this.#parts.clock, requestTimeoutMs, late, this.#stop.signal);
    return await getFrom(place, { ca: this.#configuration.ca, signal: request.signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the issuer is no longer used"));
    await this.#discovery?.close();
  }
}

const refused = (why: string): BadToken => ({ type: "refused", why });
