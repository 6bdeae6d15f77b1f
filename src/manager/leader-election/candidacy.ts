/** Keeps the LeaseCandidate of one process, from which the API server's coordinator chooses the leader of a Lease. */
import { formatMicroTime, isConflict, isNotFound, parseMicroTime } from "../../api/index.js";
import type { LeaseCandidate, LeaseCandidateSpec } from "../../api/generated/coordination-v1beta1.js";
import { type Clock, type Logger, OutageLog, type Running, startRunning } from "../../base/index.js";
import { timeLimit } from "../../base/time/time-limit.js";
import type { CandidateClient, LeaseName } from "./lease.js";

/** The versions that the coordinator compares: semantic versions of three numbers, such as `1.4.0`. */
export interface CoordinatedElection {
  /** The version of the program. */
  readonly binaryVersion: string;
  /** The version whose behaviour the program emulates, at most `binaryVersion`, which is the default. */
  readonly emulationVersion?: string;
  /**
   * `OldestEmulationVersion` is the default, and the only one that Kubernetes itself implements: the lowest emulation
   * version leads, then the lowest binary version, then the oldest candidate. Any other strategy needs a coordinator of
   * your own.
   */
  readonly strategy?: LeaseCandidateSpec["strategy"];
}

export interface CandidacyOptions {
  readonly lease: LeaseName;
  readonly identity: string;
  readonly coordinated: CoordinatedElection;
  readonly candidates: CandidateClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The coordinator waits 5 s for the answer to a ping; two checks fit into that. */
const lookPeriodMs = 2_000;
const requestTimeoutMs = 5_000;
/** The server forgets candidates that have not renewed for 30 minutes. */
const renewPeriodMs = 300_000;

const semanticVersion = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const candidateName = /^[-._a-zA-Z0-9]{1,253}$/;

/** The problem with the options; undefined if there is none. */
export function problemWithCandidate(identity: string, options: CoordinatedElection): string | undefined {
  if (!candidateName.test(identity)) {
    return `the identity ${JSON.stringify(identity)} cannot name a LeaseCandidate: only letters, digits, "-", "_" and "." can`;
  }
  for (const name of ["binaryVersion", "emulationVersion"] as const) {
    const version = options[name];
    if (version === undefined && name === "emulationVersion") continue;
    if (version === undefined || !semanticVersion.test(version)) {
      return `coordinated.${name} must be a semantic version such as 1.4.0, not ${JSON.stringify(version)}`;
    }
  }
  return undefined;
}

/**
 * From its start until it is disposed there is a LeaseCandidate with the process's identity as its name. Pings are
 * answered, and a candidate that somebody deletes is created again. Disposing deletes it, so that the coordinator
 * neither waits for it nor chooses it.
 */
export class LeaseCandidacy {
  readonly #options: CandidacyOptions;
  readonly #outage: OutageLog;
  /**
   * The time, by the monotonic clock, when the server last accepted our renewTime; initially in the infinite past, so
   * that a renewal is due.
   */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** The error of the last check; undefined if it succeeded. */
  #failure: unknown;

  constructor(options: CandidacyOptions) {
    this.#options = options;
    this.#outage = new OutageLog({
      logger: options.log,
      clock: options.clock,
      failing: "could not keep the lease candidate",
      over: "the lease candidate can be kept again",
    });
  }

  get failure(): unknown {
    return this.#failure;
  }

  start(): Running {
    const { clock } = this.#options;
    return startRunning(async (signal) => {
      try {
        for (;;) {
          await this.#look(signal);
          await clock.sleep(lookPeriodMs, signal);
        }
      } finally {
        await this.#withdraw();
      }
    });
  }

  async #look(signal: AbortSignal): Promise<void> {
    try {
      await this.#within(signal, (limit) => this.#ensure(limit));
      this.#failure = undefined;
      this.#outage.worked();
    } catch (error) {
      // the coordinator has written a ping meanwhile, which the next check answers
      if (signal.aborted || isConflict(error)) return;
      this.#failure = error;
      this.#outage.failed({ error });
    }
  }

  async #ensure(signal: AbortSignal): Promise<void> {
    const { candidates, identity, lease, clock } = this.#options;
    const found = await candidates.get(identity, signal);
    if (found === undefined) {
      await candidates.create(this.#candidate(), signal).catch((error: unknown) => {
        throw isNotFound(error) ? notServed(lease, error) : error;
      });
    } else if (found.spec.leaseName !== lease.name) {
      throw new Error(
        `the LeaseCandidate ${lease.namespace}/${identity} is one for the lease ${found.spec.leaseName}: ` +
          `give the elector of ${lease.name} another identity`,
      );
    } else if (isPinged(found.spec) || clock.monotonic() - this.#renewedAt >= renewPeriodMs) {
      const { spec } = this.#candidate(found.spec.pingTime);
      await candidates.update({ ...found, spec: { ...found.spec, ...spec } }, signal);
    } else return;
    this.#renewedAt = clock.monotonic();
  }

  /** `renewTime` is at least the ping's time: a clock behind the server's must not leave the ping unanswered. */
  #candidate(pingTime?: string): LeaseCandidate {
    const { lease, identity, coordinated, clock } = this.#options;
    const { binaryVersion, emulationVersion = binaryVersion, strategy = "OldestEmulationVersion" } = coordinated;
    const pingedAt = pingTime === undefined ? 0 : parseMicroTime(pingTime);
    const renewTime = formatMicroTime(Math.max(clock.now() * 1000, pingedAt));
    return {
      apiVersion: "coordination.k8s.io/v1beta1",
      kind: "LeaseCandidate",
      metadata: { namespace: lease.namespace, name: identity },
      spec: { leaseName: lease.name, binaryVersion, emulationVersion, strategy, renewTime },
    };
  }

  async #withdraw(): Promise<void> {
    const { candidates, identity, log } = this.#options;
    try {
      await this.#within(undefined, (limit) => candidates.delete(identity, limit));
    } catch (error) {
      if (!isNotFound(error)) log.warn("could not delete the lease candidate; the server forgets it", { error });
    }
  }

  async #within(signal: AbortSignal | undefined, request: (limit: AbortSignal) => Promise<void>): Promise<void> {
    using limit = timeLimit(this.#options.clock, requestTimeoutMs, "timed out", signal);
    await request(limit.signal);
  }
}

function isPinged({ pingTime, renewTime }: LeaseCandidateSpec): boolean {
  if (pingTime === undefined) return false;
  return renewTime === undefined || parseMicroTime(pingTime) > parseMicroTime(renewTime);
}

function notServed({ namespace }: LeaseName, cause: unknown): Error {
  return new Error(
    `there is no namespace ${namespace}, or the server has no coordinated leader election: it needs the feature gate ` +
      "CoordinatedLeaderElection and --runtime-config=coordination.k8s.io/v1beta1=true",
    { cause },
  );
}
