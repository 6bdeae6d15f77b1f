/** A long JSON list whose items must be made first (rows of a table, metadata alone), made and written in slices. To the listing answers. */
import { cooperative } from "../../../base/index.js";

const pieceLength = 64 * 1024;

/** `head` is the list without its items, which stand last, under `name`. */
export async function* jsonItems(head: object, name: string, items: Iterable<unknown>): AsyncGenerator<Uint8Array> {
  let text = `${JSON.stringify(head).slice(0, -1)},${JSON.stringify(name)}:`;
  let before = "[";
  const slice = cooperative();
  for (const item of items) {
    text += before + JSON.stringify(item);
    before = ",";
    if (slice.due()) await slice.pause();
    if (text.length < pieceLength) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(`${text}${before === "[" ? "[]" : "]"}}\n`);
}
