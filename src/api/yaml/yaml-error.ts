/** Thrown for text that is not YAML, or that exceeds a limit of the reader. */
export class YamlError extends Error {
  override readonly name = "YamlError";
  /** Counted from 1; undefined if no single line is at fault. */
  readonly line: number | undefined;

  /** `reason` may quote the text. */
  constructor(reason: string, line?: number) {
    super(line === undefined ? `yaml: ${reason}` : `yaml: line ${line}: ${reason}`);
    this.line = line;
  }
}
