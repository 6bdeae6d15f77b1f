/**
 * One version of one object under its collection, key and revision: takes the object or its bytes, rests as bytes,
 * gives both.
 */
import { exactJson, parseExactJson } from "../../api/values/exact-json.js";
import { Recent } from "../../base/index.js";
import { deepEqual, type Labels, type KubeObject } from "../../api/index.js";
import type { Stored } from "./contract.js";
import { lineEnd } from "./line.js";
import { type SlabPlace, Slabs } from "./slabs.js";

export interface Identity {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  readonly expiresAt?: number;
}

/**
 * The memory that the versions of one state share: slabs for their bytes, and the objects that were in use lately, by
 * weight of their bytes.
 */
export class VersionMemory {
  readonly slabs: Slabs = new Slabs();
  readonly #lasting: AtHand = new Recent({ weight: 8 * 1024 * 1024 });
  /**
   * Objects that go by themselves (events) are many, and are looked at when they are written alone; a version that was
   * replaced is looked at by watchers that select by fields, at once. They must not push out others.
   */
  readonly #passing: AtHand = new Recent({ weight: 256 * 1024 });

  /** The objects at hand among which that of the version is, if it is. */
  atHand({ expiresAt, isReplaced }: Rank): AtHand {
    return expiresAt === undefined && !isReplaced ? this.#lasting : this.#passing;
  }
}

type AtHand = Recent<StoredVersion, KubeObject>;

/** Tells how soon the object of a version is needed again. */
interface Rank {
  readonly expiresAt?: number;
  readonly isReplaced: boolean;
}

/**
 * Bytes are a half or a third of the object's memory, and most objects are written once and then only sent. So they
 * rest as bytes.
 */
export class StoredVersion implements Stored {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  declare readonly expiresAt?: number;
  readonly #memory: VersionMemory;
  /** Holds the bytes and the end of a line. */
  readonly #place: SlabPlace;
  /** "unknown" until the object was parsed. */
  #labels: Labels | undefined | "unknown" = "unknown";
  #isReplaced = false;

  private constructor(identity: Identity, memory: VersionMemory, place: SlabPlace) {
    this.collection = identity.collection;
    this.key = identity.key;
    this.revision = identity.revision;
    if (identity.expiresAt !== undefined) this.expiresAt = identity.expiresAt;
    this.#memory = memory;
    this.#place = place;
  }

  /**
   * Encodes the object under the identity's revision, with kind and apiVersion first. Equal labels are those of the
   * version that it follows.
   */
  static ofObject(
    identity: Identity,
    object: KubeObject,
    memory: VersionMemory,
    previous?: StoredVersion,
  ): StoredVersion {
    const written = withRevision(object, identity.revision);
    const version = new StoredVersion(identity, memory, memory.slabs.write(exactJson(written), lineEnd));
    const { labels } = written.metadata;
    const before = previous === undefined ? undefined : previous.#labels;
    version.#labels = before !== "unknown" && deepEqual(before, labels) ? before : labels;
    memory.atHand(version).set(version, written, version.size);
    return version;
  }

  /** The bytes carry the identity's revision already. They are copied. */
  static ofBytes(identity: Identity, bytes: Uint8Array, memory: VersionMemory): StoredVersion {
    return new StoredVersion(identity, memory, memory.slabs.copy(bytes, lineEnd));
  }

  get size(): number {
    return this.#place.size - 1;
  }

  get bytes(): Uint8Array {
    return this.#place.view(this.size);
  }

  get object(): KubeObject {
    const atHand = this.#memory.atHand(this);
    let object = atHand.get(this);
    if (object === undefined) {
      object = parseExactJson(this.#place.text(this.size)) as KubeObject;
      atHand.set(this, object, this.size);
    }
    return object;
  }

  get labels(): Labels | undefined {
    if (this.#labels === "unknown") this.#labels = this.object.metadata.labels;
    return this.#labels;
  }

  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** A newer version has taken its place. */
  replaced(): void {
    const object = this.#memory.atHand(this).take(this);
    this.#isReplaced = true;
    if (object !== undefined) this.#memory.atHand(this).set(this, object, this.size);
  }

  /** The state no longer needs this version. Readers that still hold it can go on reading it. */
  release(): void {
    this.#place.release();
  }
}

function withRevision(object: KubeObject, revision: number): KubeObject {
  const { kind, apiVersion, metadata, ...rest } = object;
  return { kind, apiVersion, metadata: { ...metadata, resourceVersion: String(revision) }, ...rest };
}
