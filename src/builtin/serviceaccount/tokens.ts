/**
 * The service account token controller: fills Secrets of type `kubernetes.io/service-account-token`, deletes them with
 * their account, and removes deleted ones from their account's list.
 */
import { isConflict, isNotFound, Secret, ServiceAccount, unless } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { retryOnConflict } from "../../client/index.js";
import type { KeyLoop, KeyRun } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";
import { type LegacyTokenSigner, legacyTokenSigner } from "./legacy-token.js";

const tokenType = "kubernetes.io/service-account-token";
const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";

interface TokenControllerOptions {
  readonly sign: LegacyTokenSigner;
  /** The certificate authority in PEM, for the users of the token; left out if it is not known. */
  readonly ca?: string;
}

/** Signs with the key by which the server verifies service account tokens. */
export function tokenController(context: ControllerContext): BuiltInController | undefined {
  const { ca, tokenKey } = context.credentials;
  if (tokenKey === undefined) return undefined;
  return new TokenController(context, defined({ sign: legacyTokenSigner(tokenKey), ca }));
}

/** The account that a Secret names; only these fields matter once the Secret is gone. */
interface Bearer {
  readonly namespace: string;
  readonly secret: string;
  readonly account: string;
  /** Empty until the Secret is filled. */
  readonly accountUid: string;
}

const bearerOf = ({ metadata }: Secret): Bearer => ({
  namespace: metadata.namespace ?? "",
  secret: metadata.name,
  account: metadata.annotations?.[nameAnnotation] ?? "",
  accountUid: metadata.annotations?.[uidAnnotation] ?? "",
});

const isToken = ({ type }: Secret): boolean => type === tokenType;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

class TokenController implements BuiltInController {
  readonly #options: TokenControllerOptions;
  readonly #accounts;
  readonly #secrets;
  readonly loops: readonly KeyLoop[];

  constructor(context: ControllerContext, options: TokenControllerOptions) {
    this.#options = options;
    this.#accounts = context.informers.informer(ServiceAccount);
    this.#secrets = context.informers.informer(Secret);
    const shared = { workers: 5, maxFailures: 11 };
    const accountLoop = keyLoop(context, {
      ...shared,
      name: "serviceaccount_tokens_service",
      kind: "ServiceAccount",
      sync: (run) => this.#accountGone(run),
    });
    const secretLoop = keyLoop(context, {
      ...shared,
      name: "serviceaccount_tokens_secret",
      kind: "Secret",
      sync: (run) => this.#syncSecret(JSON.parse(run.key) as Bearer, run),
    });
    this.loops = [accountLoop, secretLoop];
    accountLoop.watch(this.#accounts, ({ type, object: { metadata } }, wake) => {
      if (type === "deleted") wake(`${metadata.namespace}/${metadata.name}/${metadata.uid}`);
    });
    secretLoop.watch(this.#secrets, ({ object: secret }, wake) => {
      if (!isToken(secret)) return;
      const bearer = bearerOf(secret);
      if (bearer.account !== "") wake(JSON.stringify(bearer));
    });
  }

  async #accountGone(run: KeyRun): Promise<void> {
    const [namespace = "", name = "", uid = ""] = run.key.split("/");
    if (this.#accounts.indexer.get(`${namespace}/${name}`)?.metadata.uid === uid) return;
    const tokens = this.#secrets.lister
      .namespace(namespace)
      .list()
      .filter((secret) => {
        const { account, accountUid } = bearerOf(secret);
        return isToken(secret) && account === name && accountUid === uid;
      });
    await Promise.all(tokens.map((secret) => this.#delete(secret, run)));
  }

  async #delete({ metadata }: Secret, { client }: KeyRun): Promise<void> {
    const preconditions = defined({ uid: metadata.uid });
    // a conflict: replaced by another of the same name
    await client.resource(Secret).delete(metadata, { preconditions }).catch(unless(isNotFound, isConflict));
  }

  async #syncSecret(bearer: Bearer, run: KeyRun): Promise<void> {
    const secret = this.#secrets.indexer.get(`${bearer.namespace}/${bearer.secret}`);
    if (secret === undefined || !isToken(secret)) return this.#forgetSecret(bearer, run);
    const account = await this.#accountOf(bearer, run);
    if (account === undefined) return this.#delete(secret, run);
    await this.#fill(secret, account, run);
  }

  /** From the cache, otherwise live: a Secret may be seen before its account. */
  async #accountOf(
    { namespace, account, accountUid }: Bearer,
    { client }: KeyRun,
  ): Promise<ServiceAccount | undefined> {
    const isMeant = (found: ServiceAccount | undefined): boolean =>
      found !== undefined && (accountUid === "" || found.metadata.uid === accountUid);
    const cached = this.#accounts.indexer.get(`${namespace}/${account}`);
    if (isMeant(cached)) return cached;
    const live = await client.resource(ServiceAccount, { namespace }).getOrUndefined(account);
    return isMeant(live) ? live : undefined;
  }

  /** Writes the missing data to the live Secret, and only if it is the same as the cached one; otherwise an event will come. */
  async #fill(cached: Secret, account: ServiceAccount, { client }: KeyRun): Promise<void> {
    if (this.#missing(cached) === undefined) return;
    const secrets = client.resource(Secret);
    const { namespace = "", name } = cached.metadata;
    const live = await secrets.getOrUndefined({ namespace, name });
    if (live === undefined || live.metadata.resourceVersion !== cached.metadata.resourceVersion) return;
    const missing = this.#missing(live);
    if (missing === undefined) return;
    const { name: accountName, uid: accountUid = "" } = account.metadata;
    const token = (): string =>
      base64(this.#options.sign({ namespace, account: accountName, accountUid, secret: name }));
    const annotations = { ...live.metadata.annotations, [nameAnnotation]: accountName, [uidAnnotation]: accountUid };
    const data = { ...live.data, ...missing.data, ...(missing.token ? { token: token() } : {}) };
    const whole = { ...live, metadata: { ...live.metadata, annotations }, data };
    await secrets.update(whole).catch(unless(isNotFound, isConflict));
  }

  #missing({
    metadata,
    data = {},
  }: Secret): { readonly data: Readonly<Record<string, string>>; readonly token: boolean } | undefined {
    const { ca } = this.#options;
    const authority = ca === undefined ? undefined : base64(ca);
    const more = {
      ...(authority === undefined || data["ca.crt"] === authority ? {} : { "ca.crt": authority }),
      ...(data["namespace"] ? {} : { namespace: base64(metadata.namespace ?? "") }),
    };
    const token = !data["token"];
    return token || Object.keys(more).length > 0 ? { data: more, token } : undefined;
  }

  async #forgetSecret({ namespace, account, accountUid, secret }: Bearer, run: KeyRun): Promise<void> {
    const cached = this.#accounts.indexer.get(`${namespace}/${account}`);
    if (cached === undefined || (accountUid !== "" && cached.metadata.uid !== accountUid)) return;
    if (!cached.secrets?.some(({ name }) => name === secret)) return;
    const accounts = run.client.resource(ServiceAccount, { namespace });
    await retryOnConflict(async () => {
      const live = await accounts.getOrUndefined(account);
      if (live === undefined || (accountUid !== "" && live.metadata.uid !== accountUid)) return;
      const secrets = (live.secrets ?? []).filter(({ name }) => name !== secret);
      if (secrets.length === live.secrets?.length) return;
      await accounts.update({ ...live, secrets });
    }, run);
  }
}
