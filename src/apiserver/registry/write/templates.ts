/**
 * Remembers the outcome of a body that is sent again and again. Controllers create the pods of one template with the
 * same body, and leave the name to the server: decoding, defaults, owners and rules need that body once.
 */
import { deepEqual, type KubeObject, type StatusCause } from "../../../api/index.js";
import { Recent } from "../../../base/index.js";
import type { Decoded } from "../../contracts/codec.js";
import type { Endpoint } from "../../contracts/endpoint.js";

/** The facts that the decoded object and the draft of a body depend on. */
export interface SentBody {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  /** The field manager that comes to own the fields. */
  readonly manager: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The judgement of a kind's rules on a new object. */
export interface Judgement {
  readonly errors: readonly StatusCause[];
  readonly warnings: readonly string[];
}

interface Judged {
  readonly object: KubeObject;
  readonly verdict: Judgement;
}

/**
 * One body as it was sent to one endpoint and namespace by one field manager. Invariants:
 * 1. The decoded object depends on that alone, the draft on the second of the request besides.
 * 2. The verdict is that on `#judged`. It holds for each object that has the same content, whatever admission did to
 *    either.
 * 3. Nothing here depends on other objects: admission runs for each object anew.
 */
export class Template {
  #decoded: Decoded | undefined;
  #draft: { readonly time: string; readonly object: KubeObject } | undefined;
  #judged: { readonly content: KubeObject; readonly verdict: Judgement } | undefined;

  decoded(decode: () => Decoded): Decoded {
    return (this.#decoded ??= decode());
  }

  /** The object with its defaults and owners; `time` is the time of the owners' entries. */
  draft(time: string, make: () => KubeObject): KubeObject {
    if (this.#draft?.time !== time) this.#draft = { time, object: make() };
    return this.#draft.object;
  }

  /**
   * The verdict on an object, and the object itself, made of the parts of `#judged` if their content is the same: so
   * that the objects of a template share their memory. `byContent`: the verdict depends on nothing else, and may be
   * used again.
   */
  judged(object: KubeObject, judge: () => Judgement & { readonly byContent: boolean }): Judged {
    const content = contentOf(object);
    if (this.#judged !== undefined && deepEqual(this.#judged.content, content)) {
      return { object: { ...this.#judged.content, metadata: object.metadata }, verdict: this.#judged.verdict };
    }
    const verdict = judge();
    this.#judged = verdict.byContent ? { content, verdict } : undefined;
    return { object, verdict };
  }
}

/**
 * The object without the fields in which the objects of one template differ, and without owners, which no rule of a
 * kind reads.
 */
function contentOf(object: KubeObject): KubeObject {
  const none = undefined as never;
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, name: none, uid: none, creationTimestamp: none, managedFields: none } };
}

/** Templates are kept for at least this many bytes of bodies. */
const keptBytes = 128 * 1024;

/** The templates of one server that were used last. */
export class Templates {
  readonly #recent = new Recent<string, Template>({ weight: keptBytes });

  /**
   * Undefined for a body that leaves no name to the server or is too long to be kept, and for custom kinds, whose rules
   * change with their definition.
   */
  of({ endpoint, namespace, manager, mediaType, bytes }: SentBody): Template | undefined {
    if (endpoint.custom || bytes.length > keptBytes) return undefined;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
    if (!text.includes("generateName")) return undefined;
    const { group, version, plural } = endpoint.served;
    const key = `${mediaType} ${group}/${version}/${plural} ${namespace} ${JSON.stringify(manager)} ${text}`;
    let template = this.#recent.get(key);
    if (template === undefined) this.#recent.set(key, (template = new Template()), text.length);
    return template;
  }
}
