/** The cleaner of old tokens: marks the unused tokens that were generated for service accounts, and later deletes them. */
import {
  ConfigMap,
  formatTime,
  isConflict,
  isNotFound,
  type KubeObject,
  parseTime,
  Pod,
  Secret,
  ServiceAccount,
} from "../../api/index.js";
import { secretsOf } from "../../api/pods/references.js";
import type { KeyRun, SyncResult } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";

const dayMs = 24 * 3_600_000;
/** A token that nobody has used for this time is marked, and deleted after the same time again. */
const unusedMs = 365 * dayMs;
const lastUsed = "kubernetes.io/legacy-token-last-used";
const invalidSince = "kubernetes.io/legacy-token-invalid-since";
const tracking = { namespace: "kube-system", name: "kube-apiserver-legacy-service-account-token-tracking" } as const;

const dateOf = (time: number): string => formatTime(time).slice(0, 10);

/** Undefined for a text that is not a date. */
function dateIn(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const time = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(time) || dateOf(time) !== text ? undefined : time;
}

/** True if uses of tokens have been noted for long enough to call a token unused. */
export function isTrackedLongEnough(since: string | undefined, now: number): boolean {
  const start = dateIn(since);
  // the day on which the notes begin is not a whole one
  return start !== undefined && now >= start + dayMs + unusedMs;
}

export type TokenFate = "keep" | "mark" | "delete";

export interface TokenSurroundings {
  readonly now: number;
  /** The account of this name in the token's namespace. */
  account(name: string): ServiceAccount | undefined;
  /** True if a pod of the token's namespace names this Secret. */
  isMounted(secret: string): boolean;
}

/** The fate of a token's Secret. */
export function fateOf(secret: Secret, around: TokenSurroundings): TokenFate {
  const limit = dateOf(around.now - unusedMs);
  if (!isUnused(secret, around, limit) || !isGenerated(secret, around)) return "keep";
  if (around.isMounted(secret.metadata.name)) return "keep";
  const marked = secret.metadata.labels?.[invalidSince];
  if (marked === undefined || dateIn(marked) === undefined) return "mark";
  return marked >= limit ? "keep" : "delete";
}

/** True for a token that is old, and was not used since the date. */
function isUnused({ type, metadata }: Secret, { now }: TokenSurroundings, limit: string): boolean {
  const { labels = {}, creationTimestamp, deletionTimestamp } = metadata;
  if (type !== "kubernetes.io/service-account-token" || deletionTimestamp !== undefined) return false;
  if (creationTimestamp === undefined || parseTime(creationTimestamp) >= now - unusedMs) return false;
  const used = labels[lastUsed];
  return used === undefined || (dateIn(used) !== undefined && used < limit);
}

/** Only tokens that an account lists were generated: others belong to their users. */
function isGenerated({ metadata: { name, annotations = {} } }: Secret, { account }: TokenSurroundings): boolean {
  const owner = account(annotations["kubernetes.io/service-account.name"] ?? "");
  const uid = annotations["kubernetes.io/service-account.uid"] ?? "";
  if (owner === undefined || (uid !== "" && uid !== owner.metadata.uid)) return false;
  return (owner.secrets ?? []).some((one) => one.name === name);
}

export function legacyTokenCleaner(context: ControllerContext): BuiltInController {
  const { informers, clock } = context;
  const secrets = informers.informer(Secret);
  const accounts = informers.informer(ServiceAccount);
  const pods = informers.informer(Pod);
  const loop = keyLoop(context, { name: "legacy_token_cleaner", kind: "Secret", workers: 1, sync });
  loop.add("all");

  async function sync({ client }: KeyRun): Promise<SyncResult> {
    const again = { requeueAfterMs: dayMs };
    const since = await client.resource(ConfigMap, { namespace: tracking.namespace }).getOrUndefined(tracking.name);
    const now = clock.now();
    if (!isTrackedLongEnough(since?.data?.["since"], now)) return again;
    for (const secret of secrets.indexer.list()) {
      const { namespace = "" } = secret.metadata;
      const around: TokenSurroundings = {
        now,
        account: (name) => accounts.indexer.get(`${namespace}/${name}`),
        isMounted: (name) => pods.indexer.list().some((pod) => isIn(pod, namespace) && secretsOf(pod).has(name)),
      };
      await act(secret, fateOf(secret, around), { client, now });
    }
    return again;
  }

  return { loops: [loop] };
}

const isIn = ({ metadata }: KubeObject, namespace: string): boolean => metadata.namespace === namespace;

async function act(
  { metadata }: Secret,
  fate: TokenFate,
  { client, now }: { readonly client: KeyRun["client"]; readonly now: number },
): Promise<void> {
  const { uid = "", resourceVersion = "" } = metadata;
  const secrets = client.resource(Secret);
  try {
    if (fate === "mark") {
      await secrets.patch(metadata, { merge: { metadata: { uid, labels: { [invalidSince]: dateOf(now) } } } });
    }
    if (fate === "delete") await secrets.delete(metadata, { preconditions: { resourceVersion } });
  } catch (error) {
    // a token that was used or changed meanwhile is looked at again in a day
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
