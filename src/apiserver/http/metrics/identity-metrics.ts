/** Counts and times authentication and authorization, under kube-apiserver's metric names. */
import type { Clock, MetricsRegistry } from "../../../base/index.js";
import type { Decision } from "../../contracts/authorizer.js";
import type { UserInfo } from "../../contracts/user.js";

export interface IdentityMetrics {
  /** Gives a function to call with the outcome of the authentication that was begun at this time. */
  since(startedAt: number): (found: UserInfo | "refused" | "none") => void;
  authorized(decision: Decision, startedAt: number): void;
}

/** As upstream: from a millisecond to 16 seconds. */
const buckets = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);

/** As upstream, users of other names are one series, so that their number does not grow with them. */
const namedUsers: ReadonlySet<string> = new Set([
  "admin",
  "client",
  "kube_proxy",
  "kubelet",
  "system:serviceaccount:kube-system:default",
]);

export function identityMetrics(metrics: MetricsRegistry, clock: Clock): IdentityMetrics {
  const users = metrics.counter({
    name: "authenticated_user_requests",
    help: "Requests of authenticated users.",
    labels: ["username"],
  });
  const attempts = metrics.counter({
    name: "authentication_attempts",
    help: "Authentications, by result: error for credentials that nobody accepts, failure for none.",
    labels: ["result"],
  });
  const decisions = metrics.counter({
    name: "authorization_attempts_total",
    help: "Decisions about requests, by result.",
    labels: ["result"],
  });
  const [authenticationSeconds, authorizationSeconds] = (["authentication", "authorization"] as const).map((what) =>
    metrics.histogram({ name: `${what}_duration_seconds`, help: `Time of ${what}.`, labels: ["result"], buckets }),
  ) as [ReturnType<MetricsRegistry["histogram"]>, ReturnType<MetricsRegistry["histogram"]>];
  const secondsFrom = (startedAt: number): number => (clock.monotonic() - startedAt) / 1_000;
  return {
    since: (startedAt) => (found) => {
      const result = typeof found !== "string" ? "success" : found === "refused" ? "error" : "failure";
      attempts.with({ result }).inc();
      authenticationSeconds.with({ result }).observe(secondsFrom(startedAt));
      if (typeof found === "string") return;
      users.with({ username: namedUsers.has(found.username) ? found.username : "other" }).inc();
    },
    authorized(decision, startedAt) {
      const result = resultOf(decision);
      decisions.with({ result }).inc();
      authorizationSeconds.with({ result }).observe(secondsFrom(startedAt));
    },
  };
}

function resultOf({ allowed, denied = false, errors }: Decision): string {
  if (allowed) return "allowed";
  if (errors !== undefined) return "error";
  return denied ? "denied" : "no-opinion";
}
