/** The number of characters of a text as Go counts them: code points, not UTF-16 units. */
export function codePoints(text: string): number {
  let pairs = 0;
  for (let i = 1; i < text.length; i++)
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) pairs++;
  return text.length - pairs;
}
