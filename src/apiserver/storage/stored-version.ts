/** One version of one object under its collection, key and revision: takes the object or its bytes, gives both. */
import type { KubeObject } from "../../api/index.js";
import { encode, Encoded } from "./encoded.js";
import type { Labels, Stored } from "./contract.js";

interface Identity {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  readonly expiresAt?: number;
}

export class StoredVersion extends Encoded implements Stored {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  declare readonly expiresAt?: number;
  /** "unknown" until the object was looked at. */
  #labels: Labels | undefined | "unknown";

  private constructor(identity: Identity, bytes: Uint8Array, object?: KubeObject) {
    super(bytes, object);
    this.collection = identity.collection;
    this.key = identity.key;
    this.revision = identity.revision;
    if (identity.expiresAt !== undefined) this.expiresAt = identity.expiresAt;
    this.#labels = object === undefined ? "unknown" : object.metadata.labels;
  }

  /** The object is written under the identity's revision, with kind and apiVersion first. */
  static ofObject(identity: Identity, object: KubeObject): StoredVersion {
    const written = withRevision(object, identity.revision);
    const bytes = encode(written);
    // what will go by itself (an event) is read by nobody but those who hear of it, and must not push out what is
    if (identity.expiresAt === undefined) return new StoredVersion(identity, bytes, written);
    const version = new StoredVersion(identity, bytes);
    version.#labels = written.metadata.labels;
    return version;
  }

  /** Bytes that carry the identity's revision already, from the log. */
  static ofBytes(identity: Identity, bytes: Uint8Array): StoredVersion {
    return new StoredVersion(identity, bytes);
  }

  get labels(): Labels | undefined {
    if (this.#labels === "unknown") this.#labels = this.object.metadata.labels;
    return this.#labels;
  }
}

function withRevision(object: KubeObject, revision: number): KubeObject {
  const { kind, apiVersion, metadata, ...rest } = object;
  return { kind, apiVersion, metadata: { ...metadata, resourceVersion: String(revision) }, ...rest };
}
