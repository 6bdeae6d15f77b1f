/** Makes and writes a long list in slices, if its items must be encoded first. */
import { exactJson } from "../../../api/values/exact-json.js";
import { cooperative } from "../../../base/index.js";

const pieceLength = 64 * 1024;

/** The text as bytes. Other work gets a turn between slices. */
export async function* piecesOf(texts: Iterable<string>): AsyncGenerator<Uint8Array> {
  let text = "";
  const slice = cooperative();
  for (const more of texts) {
    text += more;
    if (slice.due()) await slice.pause();
    if (text.length < pieceLength) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}

/** `head` is the list without its items, which stand last, under `name`. */
export function* jsonListPieces(
  head: object,
  name: string,
  { items, pretty }: { readonly items: Iterable<unknown>; readonly pretty: boolean },
): Generator<string> {
  const [line, indent] = pretty ? ["\n", "  "] : ["", ""];
  const written = JSON.stringify(head, undefined, indent);
  const colon = pretty ? ": " : ":";
  let before = `${written.slice(0, -1 - line.length)},${line}${indent}${JSON.stringify(name)}${colon}[`;
  for (const item of items) {
    yield before + line + shifted(exactJson(item, indent), indent + indent);
    before = ",";
  }
  yield before === "," ? `${line}${indent}]${line}}\n` : `${before}]${line}}\n`;
}

/** The text with each line indented further. */
const shifted = (text: string, by: string): string => (by === "" ? text : by + text.replaceAll("\n", `\n${by}`));
