/** EventRateLimit: events beyond the given rates are refused: of the whole server, of a namespace, a user, or a source and object. */
import { type Event, newFailure } from "../../../api/index.js";
import { type Clock, Recent } from "../../../base/index.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";
import { joinedErrors } from "../../../api/errors/field-error.js";

/** One limit, as in the plug-in's configuration upstream. */
export interface EventRateLimit {
  /** Each namespace, user, or source and object has its own count. */
  readonly type: "Server" | "Namespace" | "User" | "SourceAndObject";
  /** Events a second, once the burst is used up. */
  readonly qps: number;
  readonly burst: number;
  /** The number of counts that are kept; default 4096. */
  readonly cacheSize?: number;
}

/** `at` is the moment at which there were this many tokens. */
interface Bucket {
  tokens: number;
  at: number;
}

export function eventRateLimit(limits: readonly EventRateLimit[], clock: Clock): AdmissionPlugin {
  const enforcers = limits.map((limit) => enforcer(limit, clock));
  return {
    name: "EventRateLimit",
    validate(request) {
      if (request.kind.kind !== "Event" || request.kind.group !== "" || request.dryRun) return;
      const reached = enforcers.flatMap((accept) => accept(request) ?? []);
      if (reached.length === 0) return;
      throw newFailure({
        message: `Too many requests: ${joinedErrors(reached)}`,
        reason: "TooManyRequests",
        code: 429,
      });
    },
  };
}

/** Takes a token for the request; gives a sentence if there is none. */
function enforcer(
  { type, qps, burst, cacheSize = 4096 }: EventRateLimit,
  clock: Clock,
): (request: AdmissionRequest) => string | undefined {
  const buckets = new Recent<string, Bucket>({ weight: Math.max(1, Math.floor(cacheSize / 2)) });
  return (request) => {
    const key = keys[type](request);
    const now = clock.monotonic();
    const bucket = buckets.get(key) ?? { tokens: burst, at: now };
    buckets.set(key, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * qps);
    bucket.at = now;
    if (bucket.tokens < 1) return `limit reached on type ${type} for key ${key}`;
    bucket.tokens -= 1;
    return undefined;
  };
}

const keys: Readonly<Record<EventRateLimit["type"], (request: AdmissionRequest) => string>> = {
  Server: () => "",
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.username,
  SourceAndObject({ object }) {
    const { source, involvedObject: about } = (object ?? {}) as Partial<Event>;
    const parts = [source?.component, source?.host, about?.kind, about?.namespace, about?.name, about?.uid];
    return [...parts, about?.apiVersion].join("");
  },
};
