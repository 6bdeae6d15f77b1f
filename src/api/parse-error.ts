/** The one error of all parsers in api: the fault in the words of a server, and its position in the input. */

/**
 * `reason` is the wire form: a server puts exactly this into its answer. `message` adds the position for people.
 * `position` counts UTF-16 units from 0 and is at most `input.length` (the input ended too early).
 */
export class ParseError extends Error {
  override readonly name = "ParseError";
  readonly reason: string;
  readonly input: string;
  readonly position: number;

  constructor(reason: string, at: { readonly input: string; readonly position: number }) {
    super(`${reason} (at position ${at.position} of ${JSON.stringify(shorten(at.input))})`);
    this.reason = reason;
    this.input = at.input;
    this.position = at.position;
  }
}

const longest = 200;

function shorten(input: string): string {
  return input.length <= longest ? input : `${input.slice(0, longest)}…`;
}
