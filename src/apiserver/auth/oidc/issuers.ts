/** The issuers of a configuration together: asks the one that a token names; they can be replaced while the server runs. */
import { createHash } from "node:crypto";
import { type Clock, type Logger, type MetricsRegistry } from "../../../base/index.js";
import { timeLimit } from "../../../base/time/time-limit.js";
import type { UserInfo } from "../../contracts/user.js";
import type { BadToken } from "../token-union.js";
import type { JwtConfiguration } from "./configuration.js";
import { Issuer, type IssuerMetrics } from "./issuer.js";

export interface IssuersParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly algorithms: readonly string[];
}

/** The longest time that new issuers have to become usable before they replace the old ones. */
const patienceMs = 60_000;
const lookMs = 1_000;

/** Invariant: the issuers in `#issuers` have been started, and are disposed when they leave it. */
export class Issuers implements AsyncDisposable {
  readonly #parts: Omit<IssuersParts, "metrics"> & { readonly metrics: IssuerMetrics };
  #issuers: readonly Issuer[] = [];

  constructor({ metrics, ...parts }: IssuersParts) {
    this.#parts = { ...parts, metrics: issuerMetrics(metrics, parts.clock) };
  }

  /** Tokens are refused until their issuer is found, which may be long after the start of the server. */
  start(configurations: readonly JwtConfiguration[]): this {
    this.#issuers = configurations.map((one) => new Issuer(one, this.#parts).start());
    return this;
  }

  /** Puts new issuers in the place of the old ones once all of them can be used; rejects if that takes too long. */
  async replace(configurations: readonly JwtConfiguration[], signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const issuers = configurations.map((one) => new Issuer(one, this.#parts).start());
    using limit = timeLimit(clock, patienceMs, "the issuers cannot be used", signal);
    try {
      while (issuers.some(({ fault }) => fault !== undefined)) await clock.sleep(lookMs, limit.signal);
    } catch (error) {
      const faults = issuers.flatMap(({ fault }) => fault ?? []);
      await disposed(issuers);
      throw new Error(faults.join("; ") || "the server is stopping", { cause: error });
    }
    const old = this.#issuers;
    this.#issuers = issuers;
    await disposed(old);
  }

  /** Undefined for a token of another issuer. A promise only if an issuer has to be asked. */
  userOf(token: string): UserInfo | BadToken | undefined | Promise<UserInfo | BadToken> {
    for (const issuer of this.#issuers) {
      const verdict = issuer.userOf(token);
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const issuers = this.#issuers;
    this.#issuers = [];
    await disposed(issuers);
  }
}

async function disposed(issuers: readonly Issuer[]): Promise<void> {
  for (const issuer of issuers) await issuer[Symbol.asyncDispose]();
}

/** A text that must not be readable in metrics, as upstream shows it there. */
const hashOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

function issuerMetrics(metrics: MetricsRegistry, clock: Clock): IssuerMetrics {
  const latency = metrics.histogram({
    name: "apiserver_authentication_jwt_authenticator_latency_seconds",
    help: "Time to judge a token of a configured issuer.",
    labels: ["result", "jwt_issuer_hash"],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const fetchedAt = metrics.gauge({
    name: "apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds",
    help: "Time of the last attempt to fetch the keys of an issuer, by its result.",
    labels: ["result", "jwt_issuer_hash"],
  });
  return {
    judged(issuer, isGood, seconds) {
      latency.with({ result: isGood ? "success" : "failure", jwt_issuer_hash: hashOf(issuer) }).observe(seconds);
    },
    keysFetched(issuer, document) {
      const result = document === undefined ? "failure" : "success";
      fetchedAt.with({ result, jwt_issuer_hash: hashOf(issuer) }).set(clock.now() / 1000);
    },
  };
}
