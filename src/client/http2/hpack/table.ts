/** The tables by which HPACK (RFC 7541) shortens header fields: the static and the dynamic one. */

export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** Appendix A, in order; the first has index 1. */
const staticText =
  ":authority|:method=GET|:method=POST|:path=/|:path=/index.html|:scheme=http|:scheme=https|:status=200|:status=204|" +
  ":status=206|:status=304|:status=400|:status=404|:status=500|accept-charset|accept-encoding=gzip, deflate|" +
  "accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control|" +
  "content-disposition|content-encoding|content-language|content-length|content-location|content-range|content-type|" +
  "cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|" +
  "last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|" +
  "server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate";

export const staticFields: readonly HeaderField[] = staticText.split("|").map((text) => {
  const at = text.indexOf("=");
  return at === -1 ? { name: text, value: "" } : { name: text.slice(0, at), value: text.slice(at + 1) };
});

/** The initial size on both sides. */
export const defaultTableBytes = 4096;

/** The size of a field by section 4.1. */
export function fieldBytes(nameBytes: number, valueBytes: number): number {
  return nameBytes + valueBytes + 32;
}

/**
 * The dynamic table of one direction: the newest field has the lowest index, and the oldest are evicted when there is
 * no room.
 * Invariants:
 * 1. The size of all fields never exceeds the limit.
 * 2. `#inserted` counts the fields ever added.
 * 3. `#fields[#first]` is the oldest remaining field, and was the (inserted − count)-th to be added.
 */
export class HeaderTable {
  #fields: { readonly field: HeaderField; readonly bytes: number }[] = [];
  #first = 0;
  #bytes = 0;
  #limit: number;
  #inserted = 0;
  readonly #onEvicted: ((field: HeaderField, number: number) => void) | undefined;

  /** `onEvicted` is called with each evicted field and the number that `add` gave it. */
  constructor(limit: number, onEvicted?: (field: HeaderField, number: number) => void) {
    this.#limit = limit;
    this.#onEvicted = onEvicted;
  }

  get inserted(): number {
    return this.#inserted;
  }

  get limit(): number {
    return this.#limit;
  }

  /** The field with this index in the whole address space; 1 is the first static field. */
  at(index: number): HeaderField | undefined {
    if (index <= staticFields.length) return staticFields[index - 1];
    const place = this.#fields.length - (index - staticFields.length);
    return place < this.#first ? undefined : this.#fields[place]?.field;
  }

  /** The present index of the field that was the number-th to be added. */
  indexOf(number: number): number {
    return staticFields.length + this.#inserted - number;
  }

  /** Adds a field. One that is larger than the table empties it and is not added (section 4.4). */
  add(field: HeaderField, bytes: number): number {
    this.#evictDownTo(this.#limit - bytes);
    if (bytes <= this.#limit) {
      this.#fields.push({ field, bytes });
      this.#bytes += bytes;
      return this.#inserted++;
    }
    return -1;
  }

  resize(limit: number): void {
    this.#limit = limit;
    this.#evictDownTo(limit);
  }

  #evictDownTo(bytes: number): void {
    while (this.#bytes > Math.max(0, bytes)) {
      const oldest = this.#fields[this.#first] as { readonly field: HeaderField; readonly bytes: number };
      this.#onEvicted?.(oldest.field, this.#inserted - (this.#fields.length - this.#first));
      this.#first++;
      this.#bytes -= oldest.bytes;
    }
    if (this.#first > 64) {
      this.#fields = this.#fields.slice(this.#first);
      this.#first = 0;
    }
  }
}
