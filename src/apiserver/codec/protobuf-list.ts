/** Encodes long lists in protobuf in slices, so that other requests are not held up; gives the bytes in pieces. */
import type { KubeObject } from "../../api/index.js";
import { type ObjectType, builtInTypeOf } from "../../api/schema/index.js";
import { cooperative } from "../../base/index.js";
import { closeEnvelope, envelopeTail } from "./protobuf-envelope.js";
import { encodeMessage } from "./protobuf-encode.js";
import { delimited, WireWriter } from "./wire.js";

/** The parts of a list besides its items. */
export interface ListHead {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
}

/** The items of one piece: enough to be worth sending, few enough for one slice of time. */
const itemsAtOnce = 64;

/**
 * The same bytes as encoding the list as one object. The length of the message precedes it, so all items are encoded
 * before the first piece is given; other work runs between slices.
 */
export async function* encodeProtobufList(head: ListHead, items: Iterable<KubeObject>): AsyncGenerator<Uint8Array> {
  const type = builtInTypeOf(head.apiVersion, head.kind) as ObjectType;
  const field = type.properties.get("items");
  if (field?.shape.kind !== "list" || field.shape.items.kind !== "object") throw new Error(`${head.kind} is no list`);
  const { type: itemType } = field.shape.items;
  const number = field.number as number;
  const pieces: Uint8Array[] = [];
  const slice = cooperative();
  for (const some of groups(items)) {
    pieces.push(encodeItems(some, itemType, number));
    if (slice.due()) await slice.pause();
  }
  const length = pieces.reduce((sum, { length: size }) => sum + size, 0);
  yield encodeStart(head, type, length);
  yield* pieces;
  yield envelopeTail;
}

function* groups(items: Iterable<KubeObject>): Generator<readonly KubeObject[]> {
  let group: KubeObject[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < itemsAtOnce) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

function encodeItems(items: readonly KubeObject[], type: ObjectType, number: number): Uint8Array {
  const writer = new WireWriter(items.length * 1024);
  for (const item of items.toReversed()) {
    const before = writer.length;
    encodeMessage(writer, type, item as unknown as Readonly<Record<string, unknown>>);
    writer.uint32(writer.length - before);
    writer.tag(number, delimited);
  }
  return writer.finish();
}

/** Everything before the items: the envelope, and the list's metadata. */
function encodeStart({ apiVersion, kind, metadata }: ListHead, type: ObjectType, itemsLength: number): Uint8Array {
  const writer = new WireWriter();
  encodeMessage(writer, type, { metadata });
  closeEnvelope(writer, { apiVersion, kind, length: writer.length + itemsLength });
  return writer.finish();
}
