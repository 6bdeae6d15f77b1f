/** JSON Pointer (RFC 6901): a path into a document as text, and back. */
import { PatchError } from "./patch-error.js";

/** `/a~1b/0` becomes `["a/b", "0"]`; the empty pointer, which names the whole document, becomes `[]`. */
export function parseJsonPointer(pointer: string): readonly string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) {
    throw new PatchError("malformed", `JSON pointer ${JSON.stringify(pointer)} must be empty or begin with "/"`);
  }
  const bad = /~(?![01])/.exec(pointer);
  if (bad !== null) {
    const where = `at position ${bad.index}`;
    throw new PatchError("malformed", `JSON pointer ${JSON.stringify(pointer)} has a bad escape ${where}`);
  }
  return pointer.slice(1).split("/").map(unescapeToken);
}

export function formatJsonPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** One pass, so that `~01` becomes `~1` and not `/` (RFC 6901, section 4). A stray `~` stays. */
export function unescapeToken(token: string): string {
  return token.includes("~") ? token.replace(/~[01]/g, (escape) => (escape === "~1" ? "/" : "~")) : token;
}
