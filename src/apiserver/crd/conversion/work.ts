/**
 * Lets synchronous work ask for objects of a custom kind in other versions, where a webhook converts them: the work
 * stops at the first answer that is missing, and begins again when the webhook has given it.
 */
import { exactJson } from "../../../api/values/exact-json.js";
import type { KubeObject } from "../../../api/index.js";
import type { ConvertAll } from "./webhook.js";

class Missing extends Error {
  override readonly name = "Missing";
  readonly object: KubeObject;
  readonly apiVersion: string;

  constructor(object: KubeObject, apiVersion: string) {
    super(`${object.metadata.name} has not been converted to ${apiVersion}`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

const keyOf = (object: KubeObject, apiVersion: string): string => `${apiVersion} ${exactJson(object)}`;

/** By `keyOf`; undefined for an object that cannot be converted, because its kind has no such version. */
type Known = Map<string, KubeObject | undefined>;

/** Invariant: `#known` is set only while work runs, which is synchronous, and holds the answers for this work. */
export class ConvertedWork {
  #known: Known | undefined;

  /** For the work: the object in the version; undefined if it cannot be converted. */
  inVersion(object: KubeObject, apiVersion: string): KubeObject | undefined {
    const known = this.#known;
    if (known === undefined || object.apiVersion === apiVersion) return { ...object, apiVersion };
    const key = keyOf(object, apiVersion);
    if (!known.has(key)) throw new Missing(object, apiVersion);
    return known.get(key);
  }

  /** Runs the work, which must be pure, until it needs nothing more. `versions` are the apiVersions of its kind. */
  async run<T>(
    work: () => T,
    { convert, versions, signal }: { convert: ConvertAll; versions: ReadonlySet<string>; signal: AbortSignal },
  ): Promise<T> {
    const known: Known = new Map();
    for (;;) {
      try {
        return this.#with(known, work);
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        const { object, apiVersion } = error;
        const [converted] = versions.has(apiVersion) ? await convert([object], apiVersion, signal) : [];
        known.set(keyOf(object, apiVersion), converted);
      }
    }
  }

  #with<T>(known: Known, work: () => T): T {
    this.#known = known;
    try {
      return work();
    } finally {
      this.#known = undefined;
    }
  }
}
