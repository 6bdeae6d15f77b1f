/** Authenticates bearer tokens by a webhook that answers TokenReviews; its answers are kept for a while. */
import { getOrMake } from "../../../base/containers/recent.js";
import { createHash } from "node:crypto";
import { type Logger, messageOf, OutageLog } from "../../../base/index.js";
import type { UserInfo } from "../../contracts/user.js";
import type { HookEndpoint } from "../../configuration/kubeconfig.js";
import type { TokenAuthenticator } from "../token-union.js";
import { type Asking, askWebhook } from "./ask.js";
import { Expiring } from "./expiring.js";
import { flagIn, membersIn, textIn, textsIn } from "./members.js";
import { defined } from "../../../base/defined.js";

/** kube-apiserver's flags `--authentication-token-webhook-…`, with its defaults. */
export interface TokenWebhookOptions {
  readonly endpoint: HookEndpoint;
  /** The version of authentication.k8s.io. Default v1beta1. */
  readonly version?: "v1" | "v1beta1";
  /** The time for which answers are kept. Default 2 minutes. */
  readonly cacheTtlMs?: number;
}

interface WebhookParts extends Asking {
  readonly log: Logger;
  /** The audiences of this server. */
  readonly audiences: readonly string[];
}

type Verdict = Exclude<Awaited<ReturnType<TokenAuthenticator>>, undefined> | "unknown";

const timeoutMs = 30_000;
const maxKept = 32_768;

export function tokenWebhook(options: TokenWebhookOptions, parts: WebhookParts): TokenAuthenticator {
  const { endpoint, version = "v1beta1", cacheTtlMs = 120_000 } = options;
  const { clock, log: logger, audiences: own } = parts;
  const kept = new Expiring<Verdict>(clock, maxKept);
  const asked = new Map<string, Promise<Verdict>>();
  const words = {
    failing: "the authentication webhook gave no answer",
    over: "the authentication webhook answers again",
  };
  const outage = new OutageLog({ logger, clock, ...words });
  const ask = async (token: string, audiences: readonly string[], key: string): Promise<Verdict> => {
    const review = { kind: "TokenReview", apiVersion: `authentication.k8s.io/${version}`, spec: { token, audiences } };
    try {
      const status = await askWebhook({ endpoint, timeoutMs, review }, parts);
      outage.worked();
      const verdict = verdictOf(status, audiences, own);
      // as upstream, an error is not kept
      if (verdict === "unknown" || verdict.type === "user") kept.set(key, verdict, cacheTtlMs);
      return verdict;
    } catch (error) {
      outage.failed({ error });
      return { type: "refused", why: messageOf(error) };
    } finally {
      asked.delete(key);
    }
  };
  const plain = (verdict: Verdict): Exclude<Verdict, "unknown"> | undefined =>
    verdict === "unknown" ? undefined : verdict;
  return (token, audiences) => {
    // tokens are secrets, and may be long
    const key = createHash("sha256")
      .update(JSON.stringify([token, audiences]))
      .digest("base64");
    const known = kept.get(key);
    if (known !== undefined) return plain(known);
    const asking = getOrMake(asked, key, () => ask(token, audiences, key));
    return asking.then(plain);
  };
}

function verdictOf(
  status: Readonly<Record<string, unknown>>,
  wanted: readonly string[],
  own: readonly string[],
): Verdict {
  const authenticated = flagIn(status, "authenticated");
  const why = textIn(status, "error");
  const user = userIn(membersIn(status, "user"));
  const given = textsIn(status, "audiences");
  const good = given.length > 0 ? given : own;
  const audiences = wanted.filter((audience) => good.includes(audience));
  if (audiences.length === 0) return "unknown";
  if (authenticated) return { type: "user", user, audiences };
  return why === "" ? "unknown" : { type: "refused", why };
}

function userIn(members: Readonly<Record<string, unknown>>): UserInfo {
  const extra = membersIn(members, "extra");
  const entries = Object.keys(extra).map((key) => [key, textsIn(extra, key)] as const);
  const uid = textIn(members, "uid");
  return {
    username: textIn(members, "username"),
    groups: textsIn(members, "groups"),
    ...defined({ uid: uid || undefined }),
    ...(entries.length === 0 ? {} : { extra: Object.fromEntries(entries) }),
  };
}
