/** One version of one object in its two forms, object and bytes, each made from the other when first asked for. Used by mvcc and journal. */
import type { KubeObject } from "../../api/index.js";
import type { Stored } from "./storage.js";

const decoder = new TextDecoder();

interface Identity {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  readonly expiresAt?: number;
}

/** Invariant: at least one of `#object`, `#bytes` is present, and both say the same. */
export class StoredVersion implements Stored {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  declare readonly expiresAt?: number;
  #object: KubeObject | undefined;
  #bytes: Uint8Array | undefined;

  private constructor(identity: Identity, object: KubeObject | undefined, bytes: Uint8Array | undefined) {
    this.collection = identity.collection;
    this.key = identity.key;
    this.revision = identity.revision;
    if (identity.expiresAt !== undefined) this.expiresAt = identity.expiresAt;
    this.#object = object;
    this.#bytes = bytes;
  }

  /** The object is written under the identity's revision, with kind and apiVersion first. */
  static ofObject(identity: Identity, object: KubeObject): StoredVersion {
    return new StoredVersion(identity, withRevision(object, identity.revision), undefined);
  }

  /** Bytes that carry the identity's revision already, from the log. */
  static ofBytes(identity: Identity, bytes: Uint8Array): StoredVersion {
    return new StoredVersion(identity, undefined, bytes);
  }

  get object(): KubeObject {
    this.#object ??= JSON.parse(decoder.decode(this.#bytes)) as KubeObject;
    return this.#object;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(JSON.stringify(this.#object));
    return this.#bytes;
  }
}

function withRevision(object: KubeObject, revision: number): KubeObject {
  const { kind, apiVersion, metadata, ...rest } = object;
  return { kind, apiVersion, metadata: { ...metadata, resourceVersion: String(revision) }, ...rest };
}
