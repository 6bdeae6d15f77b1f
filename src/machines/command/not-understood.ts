/** What is thrown where a script asks for more than can be followed. From words.ts and shell.ts; to outcome.ts. */

/** A script does something that only a real machine could answer. */
export class NotUnderstood extends Error {}

export function numberOf(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new NotUnderstood(`${JSON.stringify(text)} is no number`);
  return Number(text);
}
