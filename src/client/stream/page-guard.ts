/** Ends a list whose pages have no end, or together too many bytes. Takes the size of each page; throws. */
import { ConnectionError } from "../failure.js";
import { oversized } from "../request/limits.js";

export interface PageRead {
  readonly items: number;
  /** The bytes of the page that count for `limits.listBytes`; 0 if its items are not kept. */
  readonly bytes: number;
  readonly hasMore: boolean;
}

/** A server fills every page but the last: a list with this many empty pages in a row has no end. */
const mostEmptyPages = 100;

/** One for each list. */
export class PageGuard {
  readonly #listBytes: number;
  #bytes = 0;
  #emptyPages = 0;

  constructor(listBytes: number) {
    this.#listBytes = listBytes;
  }

  read({ items, bytes, hasMore }: PageRead): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#listBytes) throw oversized("the list with its pages", "listBytes", this.#listBytes);
    this.#emptyPages = items === 0 && hasMore ? this.#emptyPages + 1 : 0;
    if (this.#emptyPages >= mostEmptyPages) {
      throw new ConnectionError("malformed", `${mostEmptyPages} pages of the list are empty, and yet it goes on`);
    }
  }
}
