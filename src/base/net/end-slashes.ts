/** Takes the text of a URL and gives it without the slashes at its end; in linear time, which no expression promises here. */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}
