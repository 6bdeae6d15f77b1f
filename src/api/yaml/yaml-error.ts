/** Text that is not YAML, or more of it than is read. From the reader; each caller words it for its own client. */
export class YamlError extends Error {
  override readonly name = "YamlError";
  /** Counted from 1; undefined if the whole is at fault. */
  readonly line: number | undefined;

  /** `reason` may quote the text. */
  constructor(reason: string, line?: number) {
    super(line === undefined ? `yaml: ${reason}` : `yaml: line ${line}: ${reason}`);
    this.line = line;
  }
}
