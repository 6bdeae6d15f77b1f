/** The keys of an issuer: fetched when a token needs them, kept as long as the issuer says, and fetched again for a token that none of them has signed. */
import { headerValues } from "../../../base/http.js";
import type { Clock } from "../../../base/index.js";
import type { Received } from "../../outbound/send.js";
import { isSignedBy, type IssuerKey, keysIn, type ReadToken } from "./jwt.js";

/** Keys that end sooner than this are fetched again before a token is refused. */
const aheadMs = 30_000;

export interface KeySetParts {
  readonly clock: Clock;
  /** Reads the document; rejects if there is none. */
  fetch(): Promise<Received>;
  /** Called after each attempt, with the document if there was a usable one. */
  fetched(document: string | undefined): void;
}

/**
 * Invariants:
 * 1. At most one request for the keys is under way.
 * 2. A failed request leaves the keys as they are.
 */
export class KeySet {
  readonly #parts: KeySetParts;
  #keys: readonly IssuerKey[] = [];
  #goodUntil = Number.NEGATIVE_INFINITY;
  #fetching: Promise<readonly IssuerKey[]> | undefined;

  constructor(parts: KeySetParts) {
    this.#parts = parts;
  }

  /** Undefined if one of the keys has signed the token, else the reason to refuse it. A promise only if keys are fetched. */
  verify(token: ReadToken): string | undefined | Promise<string | undefined> {
    // the age of the keys does not matter while they serve, in case the issuer cannot be reached
    if (isSigned(token, this.#keys)) return undefined;
    if (this.#parts.clock.now() + aheadMs <= this.#goodUntil) return notSigned;
    return this.#fetch().then(
      (keys) => (isSigned(token, keys) ? undefined : notSigned),
      (error: Error) => `failed to verify signature: fetching keys ${error.message}`,
    );
  }

  #fetch(): Promise<readonly IssuerKey[]> {
    this.#fetching ??= this.#load().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #load(): Promise<readonly IssuerKey[]> {
    const { clock, fetch, fetched } = this.#parts;
    let document: string | undefined;
    try {
      const answer = await fetch().catch((error: Error) => {
        throw new Error(`oidc: get keys failed ${error.message}`);
      });
      const { status, statusText, text } = answer;
      if (status !== 200) throw new Error(`oidc: get keys failed: ${status} ${statusText} ${text}`);
      this.#keys = usableKeys(text);
      this.#goodUntil = clock.now() + lifeMs(answer);
      document = text;
      return this.#keys;
    } finally {
      fetched(document);
    }
  }
}

const notSigned = "failed to verify signature: failed to verify id token signature";

const isSigned = (token: ReadToken, keys: readonly IssuerKey[]): boolean =>
  keys.some((key) => (token.keyId === "" || key.id === token.keyId) && isSignedBy(token, key));

function usableKeys(text: string): readonly IssuerKey[] {
  try {
    return keysIn(text);
  } catch (error) {
    throw new Error(`oidc: failed to decode keys: ${(error as Error).message} ${text}`);
  }
}

/** The time for which the issuer lets others keep the answer (RFC 9111, section 5.2.2); none if it does not say. */
function lifeMs({ headers }: Received): number {
  const control = headerValues(headers, "cache-control").join(",").toLowerCase();
  if (/\b(?:no-store|no-cache|private)\b/.test(control)) return 0;
  const [, seconds] = /\bs-maxage=(\d{1,9})/.exec(control) ?? /\bmax-age=(\d{1,9})/.exec(control) ?? [];
  return seconds === undefined ? 0 : Number(seconds) * 1000;
}
