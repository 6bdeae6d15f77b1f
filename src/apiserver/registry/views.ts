/**
 * Stored versions in another form, such as another version of their kind: takes the conversion, gives each version's
 * form, made once.
 */
import { exactJson, parseExactJson } from "../../api/values/exact-json.js";
import { inOneGo, Recent, runWithin, type Steps } from "../../base/index.js";
import type { KubeObject } from "../../api/index.js";
import type { Stored } from "../storage/contract.js";
import { lineEnd } from "../storage/line.js";
import type { Endpoint, View } from "../contracts/endpoint.js";
import type { RequestScope } from "../contracts/scope.js";

/** The objects of forms that were in use lately, by weight of their bytes. */
const atHandBytes = 1024 * 1024;

/** `convert` may give the stored object itself: then its bytes are shared. A form lives as long as its stored version. */
export function viewsOf(convert: (object: KubeObject) => KubeObject): (stored: Stored) => View {
  const views = new WeakMap<Stored, View>();
  const encoded = viewMaker();
  return (stored) => {
    let view = views.get(stored);
    if (view === undefined) {
      const { object } = stored;
      const converted = convert(object);
      view = converted === object ? stored : encoded(converted);
      views.set(stored, view);
    }
    return view;
  };
}

/** Makes views of objects that are not stored in this form. They rest as bytes; objects in use lately are at hand. */
export function viewMaker(): (object: KubeObject) => View {
  const atHand: AtHand = new Recent({ weight: atHandBytes });
  return (converted) => {
    const line = Buffer.from(`${exactJson(converted)}${String.fromCharCode(lineEnd)}`);
    const view = new RestingView(line.subarray(0, line.length - 1), atHand);
    atHand.set(view, converted, view.bytes.length);
    return view;
  };
}

type AtHand = Recent<View, KubeObject>;

class RestingView implements View {
  readonly bytes: Buffer;
  readonly #atHand: AtHand;

  constructor(bytes: Buffer, atHand: AtHand) {
    this.bytes = bytes;
    this.#atHand = atHand;
  }

  get object(): KubeObject {
    let object = this.#atHand.get(this);
    if (object === undefined) {
      object = parseExactJson(this.bytes.toString()) as KubeObject;
      this.#atHand.set(this, object, this.bytes.length);
    }
    return object;
  }
}

/** Undefined if `endpoint.view` can show these versions now; else resolves when it can. */
export function loaded(
  { converter }: Endpoint,
  stored: readonly (Stored | KubeObject)[],
  signal: AbortSignal,
): Promise<void> | undefined {
  return converter?.load(stored, signal);
}

/** The stored version as the pipelines work on it: in the endpoint's version if only a converter can give that. */
export function workedOn(endpoint: Endpoint, stored: Stored): KubeObject {
  return endpoint.converter === undefined ? stored.object : endpoint.view(stored).object;
}

/** The object as it is written to the store; a promise only where a converter gives it. */
export function saved(
  { converter }: Endpoint,
  object: KubeObject,
  signal: AbortSignal,
): KubeObject | Promise<KubeObject> {
  return converter === undefined ? object : converter.save(object, signal);
}

/** The answer to a dry run. */
export async function rehearsed(endpoint: Endpoint, object: KubeObject, signal: AbortSignal): Promise<View> {
  const { converter } = endpoint;
  const shown = converter === undefined ? endpoint.fromStorage(object) : await converter.rehearse(object, signal);
  return { object: shown, bytes: Buffer.from(exactJson(shown)) };
}

/** The result of work of the field manager; a promise only if it pauses, or where a converter may be needed. */
export function acrossVersions<T>(
  { converter }: Endpoint,
  work: () => Steps<T>,
  { signal, slice }: Pick<RequestScope, "signal" | "slice">,
): T | Promise<T> {
  return converter === undefined ? runWithin(slice, work()) : converter.run(() => inOneGo(work()), signal);
}
