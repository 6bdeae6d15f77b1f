/** Thrown where a script does more than can be followed. */

/** The script does something that only a real machine could answer. */
export class NotUnderstood extends Error {}

export function numberOf(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new NotUnderstood(`${JSON.stringify(text)} is no number`);
  return Number(text);
}
