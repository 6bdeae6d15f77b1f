/** Encodes watch events in each form that a client can request. */
import { getOrMake } from "../../../base/containers/recent.js";
import { exactJson } from "../../../api/values/exact-json.js";
import { defined } from "../../../base/defined.js";
import { apiVersionOf, type KubeObject, type Status } from "../../../api/index.js";
import { Recent } from "../../../base/index.js";
import type { Endpoint } from "../../contracts/endpoint.js";
import type { FrameEncoder } from "../../registry/read/watch-events.js";
import type { Stored } from "../../storage/contract.js";
import { json, type Output } from "./negotiate.js";
import type { Codec } from "../../contracts/codec.js";
import { partialObject, tableWithRows, type TableOptions } from "./transform.js";

const endOfFrame = Buffer.from("}\n");
const startOfFrame = new Map(
  ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"].map((type) => [
    type,
    Buffer.from(`{"type":"${type}","object":`),
  ]),
);

function jsonFrame(type: string, object: Uint8Array): Uint8Array {
  return Buffer.concat([startOfFrame.get(type) as Buffer, object, endOfFrame]);
}

const bytesOf = (value: unknown): Uint8Array => Buffer.from(exactJson(value));

/** The latest frames of one server, one for each form in which a version was shown, shared by all watchers. */
export class SharedFrames {
  readonly #recent = new Recent<Stored, Map<string, Uint8Array>>({ weight: 1024 * 1024 });

  get(id: string, stored: Stored, make: () => Uint8Array): Uint8Array {
    let frames = this.#recent.get(stored);
    if (frames === undefined) this.#recent.set(stored, (frames = new Map()), stored.size);
    return getOrMake(frames, id, () => make());
  }
}

export interface FrameOptions {
  readonly frames: SharedFrames;
  readonly endpoint: Endpoint;
  readonly output: Output;
  readonly codec: Codec | undefined;
  readonly table: Omit<TableOptions, "now"> & { now(): number };
}

export function frameEncoder(options: FrameOptions): FrameEncoder {
  const { endpoint, output, codec, frames } = options;
  const { served } = endpoint;
  const version = apiVersionOf(served);
  const bookmark = (revision: number, annotations?: Readonly<Record<string, string>>): KubeObject =>
    ({
      kind: served.kind,
      apiVersion: version,
      metadata: { resourceVersion: String(revision), ...defined({ annotations }) },
    }) as unknown as KubeObject;
  if (output.transform === "Table") return tableFrames(options, bookmark);
  const partial = output.transform === "PartialObjectMetadata";
  const shown = (object: KubeObject): KubeObject => (partial ? partialObject(object) : object);
  if (codec !== undefined && output.mediaType !== json) {
    const frame = (type: string, object: KubeObject): Uint8Array => codec.encodeWatchEvent(type, codec.encode(object));
    const id = `${output.mediaType} ${output.transform} ${version}`;
    return {
      id,
      event: ({ type, object }) =>
        frames.get(`${id} ${type}`, object, () => frame(type, shown(endpoint.view(object).object))),
      bookmark: (revision, annotations) => frame("BOOKMARK", shown(bookmark(revision, annotations))),
      error: (status) => frame("ERROR", status as unknown as KubeObject),
    };
  }
  const id = `json ${output.transform} ${version}`;
  const bytes = (stored: Stored): Uint8Array => {
    const view = endpoint.view(stored);
    return partial ? bytesOf(partialObject(view.object)) : view.bytes;
  };
  return {
    id,
    event: ({ type, object }) => frames.get(`${id} ${type}`, object, () => jsonFrame(type, bytes(object))),
    bookmark: (revision, annotations) => jsonFrame("BOOKMARK", bytesOf(shown(bookmark(revision, annotations)))),
    error: (status: Status) => jsonFrame("ERROR", bytesOf(status)),
  };
}

/** Each event is a table of one row; only the first has the columns. */
function tableFrames(
  { endpoint, table }: FrameOptions,
  bookmark: (revision: number, annotations?: Readonly<Record<string, string>>) => KubeObject,
): FrameEncoder {
  let withoutColumns = false;
  const frame = (type: string, object: KubeObject): Uint8Array => {
    const view = { object, bytes: new Uint8Array() };
    const metadata = { resourceVersion: object.metadata.resourceVersion ?? "" };
    const one = tableWithRows(endpoint, [view], { ...table, now: table.now(), metadata, withoutColumns });
    withoutColumns = true;
    return jsonFrame(type, bytesOf(one));
  };
  return {
    id: "",
    event: ({ type, object }) => frame(type, endpoint.view(object).object),
    bookmark: (revision, annotations) => frame("BOOKMARK", bookmark(revision, annotations)),
    error: (status) => jsonFrame("ERROR", bytesOf(status)),
  };
}
