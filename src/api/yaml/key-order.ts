/** The order in which a Kubernetes server writes the keys of a mapping: numbers by their value, and before letters. */

const letter = /\p{L}/u;

export function compareKeys(a: string, b: string): number {
  const at = firstDifference(a, b);
  if (at === a.length || at === b.length) return a.length - b.length;
  const [mine, yours] = [charAt(a, at), charAt(b, at)];
  const [isLetter, isOthersLetter] = [letter.test(mine), letter.test(yours)];
  if (isLetter !== isOthersLetter) return isLetter ? 1 : -1;
  if (!isLetter) {
    const byValue = compareNumbers(a, b, at);
    if (byValue !== 0) return byValue;
  }
  return (mine.codePointAt(0) as number) - (yours.codePointAt(0) as number);
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

const charAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) as number);

/** Compares the numbers at this position; a missing number counts as 0. */
function compareNumbers(a: string, b: string, at: number): number {
  const [mine, yours] = [digitsAt(a, at), digitsAt(b, at)];
  const isContinued = /[1-9][0-9]*$/.test(a.slice(Math.max(0, at - 20), at));
  if (isContinued) return mine.length - yours.length;
  const [value, other] = [mine.replace(/^0+/, ""), yours.replace(/^0+/, "")];
  if (value.length !== other.length) return value.length - other.length;
  if (value !== other) return value < other ? -1 : 1;
  return mine.length - yours.length;
}

function digitsAt(text: string, at: number): string {
  let end = at;
  while (end < text.length && text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end++;
  return text.slice(at, end);
}
