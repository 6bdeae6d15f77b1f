/** Assembles a JSON list from the stored bytes of its items: nothing is encoded anew, and a long list is made piece by piece. */
import { comma, openBrace } from "../../../api/decode/punctuation.js";
import { apiVersionOf } from "../../../api/index.js";
import type { HttpBody } from "../../../base/index.js";
import type { Endpoint } from "../../contracts/endpoint.js";
import type { Stored } from "../../storage/contract.js";

/** The length of a piece, unless a single item is longer. */
const pieceBytes = 256 * 1024;

/** `head` is the list without its items. */
export function jsonList(head: object, endpoint: Endpoint, items: readonly Stored[]): HttpBody {
  const start = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`);
  const pieces = new Pieces(endpoint, items, start);
  const first = pieces.next() as Buffer;
  return pieces.done ? first : rest(first, pieces);
}

async function* rest(first: Buffer, pieces: Pieces): AsyncGenerator<Uint8Array> {
  yield first;
  for (let piece = pieces.next(); piece !== undefined; piece = pieces.next()) {
    // other work gets a turn between the pieces of a long list
    await new Promise<void>((resolve) => setImmediate(resolve));
    yield piece;
  }
}

const end = Buffer.from("]}\n");

class Pieces {
  readonly #endpoint: Endpoint;
  readonly #items: readonly Stored[];
  /**
   * The length of `"kind":"K","apiVersion":"V",` at the start of the bytes, which items of built-in lists leave out; 0
   * for custom kinds.
   */
  readonly #skip: number;
  #start: Buffer | undefined;
  #next = 0;
  #ended = false;

  constructor(endpoint: Endpoint, items: readonly Stored[], start: Buffer) {
    this.#endpoint = endpoint;
    this.#items = items;
    this.#start = start;
    const { kind, version, group } = endpoint.served;
    this.#skip = endpoint.custom ? 0 : JSON.stringify({ kind, apiVersion: apiVersionOf({ group, version }) }).length;
  }

  get done(): boolean {
    return this.#ended;
  }

  next(): Buffer | undefined {
    if (this.#ended) return undefined;
    const views: Uint8Array[] = [];
    let size = this.#start?.length ?? 0;
    const from = this.#next;
    while (this.#next < this.#items.length) {
      const { bytes } = this.#endpoint.view(this.#items[this.#next] as Stored);
      const more = bytes.length - this.#skip + 2;
      if (views.length > 0 && size + more + end.length > pieceBytes) break;
      views.push(bytes);
      size += more;
      this.#next++;
    }
    this.#ended = this.#next === this.#items.length;
    if (this.#ended) size += end.length;
    return this.#fill(views, from === 0, size);
  }

  #fill(views: readonly Uint8Array[], first: boolean, size: number): Buffer {
    const piece = Buffer.allocUnsafe(size);
    let at = this.#start?.copy(piece, 0) ?? 0;
    this.#start = undefined;
    let separate = !first;
    for (const bytes of views) {
      if (separate) piece[at++] = comma;
      separate = true;
      if (this.#skip > 0) piece[at++] = openBrace;
      piece.set(this.#skip > 0 ? bytes.subarray(this.#skip) : bytes, at);
      at += bytes.length - this.#skip;
    }
    if (this.#ended) at += end.copy(piece, at);
    return piece.subarray(0, at);
  }
}
