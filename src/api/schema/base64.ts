/** Decodes base64 as Go does (line breaks are skipped, idle bits of the last group dropped) and gives its canonical form. */

const lineBreaks = /[\r\n]/g;

/** The same bytes in canonical base64, or the position of the first illegal byte. */
export function canonicalBase64(given: string): string | { readonly illegalAt: number } {
  const text = given.replaceAll(lineBreaks, "");
  const odd = text.search(/[^A-Za-z0-9+/]/);
  const padding = odd === -1 ? "" : text.slice(odd);
  const whole = text.length % 4 === 0 && (padding === "" || padding === "=" || padding === "==");
  if (!whole) return { illegalAt: illegalByte(given) };
  return padding === "" ? text : text.slice(0, -4) + Buffer.from(text.slice(-4), "base64").toString("base64");
}

const alphabet = /[A-Za-z0-9+/]/;

/** The byte at which Go's decoder stops, counted with the line breaks. */
function illegalByte(text: string): number {
  const bytes = Buffer.from(text).toString("latin1");
  const afterBreaks = (from: number): number => {
    let at = from;
    while (bytes[at] === "\n" || bytes[at] === "\r") at++;
    return at;
  };
  let inGroup = 0;
  for (let at = 0; at < bytes.length; at++) {
    const char = bytes[at] as string;
    if (alphabet.test(char)) inGroup = (inGroup + 1) % 4;
    else if (char !== "\n" && char !== "\r") {
      if (char !== "=" || inGroup < 2) return at;
      const next = afterBreaks(at + 1);
      if (inGroup === 3) return next;
      if (next === bytes.length) return next;
      return bytes[next] === "=" ? afterBreaks(next + 1) : next - 1;
    }
  }
  return bytes.length - inGroup;
}
