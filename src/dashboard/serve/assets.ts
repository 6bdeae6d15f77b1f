/** The built files of the page: reads them from the package, and gives each with its type and compressed form. */
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
}

const types: ReadonlyMap<string, string> = new Map([
  ["html", "text/html; charset=utf-8"],
  ["js", "text/javascript; charset=utf-8"],
  ["css", "text/css; charset=utf-8"],
  ["svg", "image/svg+xml"],
]);

/** Beside the built code; a checkout that runs from its sources takes those of its last build. */
const places = [
  new URL("./web/", import.meta.url),
  new URL("../web/", import.meta.url),
  new URL("../../../dist/dashboard/web/", import.meta.url),
];

/**
 * Keeps the files that it has read: those of a build never change.
 * Invariant: each entry is of a file that exists, so there are no more of them than files.
 */
export class Assets {
  readonly #read = new Map<string, Asset>();

  /** The page itself; undefined if it was not built, or not shipped with the program. */
  index(): Promise<Asset | undefined> {
    return this.#of("index.html");
  }

  /** A script or style by its name. */
  async named(name: string): Promise<Asset | undefined> {
    return /^[\w-]+(?:\.[\w-]+)*\.(?:js|css|svg)$/.test(name) ? this.#of(`page/assets/${name}`) : undefined;
  }

  async #of(path: string): Promise<Asset | undefined> {
    const known = this.#read.get(path);
    if (known !== undefined) return known;
    for (const place of places) {
      const body = await readFile(new URL(path, place)).catch(() => undefined);
      if (body === undefined) continue;
      const type = types.get(path.slice(path.lastIndexOf(".") + 1)) ?? "application/octet-stream";
      const asset = { type, body, gzipped: await promisify(gzip)(body, { level: 9 }) };
      this.#read.set(path, asset);
      return asset;
    }
    return undefined;
  }
}
