/**
 * Stored versions in another form, such as another version of their kind: takes the conversion, gives each version's
 * form, made once.
 */
import { Recent } from "../../base/index.js";
import type { KubeObject } from "../../api/index.js";
import type { Stored } from "../storage/contract.js";
import { lineEnd } from "../storage/line.js";
import type { View } from "../contracts/endpoint.js";

/** The objects of forms that were in use lately, by weight of their bytes. */
const atHandBytes = 1024 * 1024;

/** `convert` may give the stored object itself: then its bytes are shared. A form lives as long as its stored version. */
export function viewsOf(convert: (object: KubeObject) => KubeObject): (stored: Stored) => View {
  const views = new WeakMap<Stored, View>();
  const atHand = new Recent<View, KubeObject>({ weight: atHandBytes });
  return (stored) => {
    let view = views.get(stored);
    if (view === undefined) {
      const { object } = stored;
      const converted = convert(object);
      view = converted === object ? stored : encoded(converted, atHand);
      views.set(stored, view);
    }
    return view;
  };
}

function encoded(converted: KubeObject, atHand: Recent<View, KubeObject>): View {
  const line = Buffer.from(`${JSON.stringify(converted)}${String.fromCharCode(lineEnd)}`);
  const bytes = line.subarray(0, line.length - 1);
  const view = {
    bytes,
    get object(): KubeObject {
      let object = atHand.get(view);
      if (object === undefined) atHand.set(view, (object = JSON.parse(bytes.toString()) as KubeObject), bytes.length);
      return object;
    },
  };
  atHand.set(view, converted, bytes.length);
  return view;
}
