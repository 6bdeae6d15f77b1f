/** A fault in a configuration, with its place. */

export interface ConfigPlace {
  /** The file, or another source such as `in-cluster`. */
  readonly file?: string | undefined;
  readonly context?: string | undefined;
  /** The path of the field: `clusters[prod].cluster.server`. */
  readonly field?: string | undefined;
}

/** The message names the file, the context and the field, as far as they are known; never a secret value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly place: ConfigPlace;

  constructor(place: ConfigPlace, why: string, options?: ErrorOptions) {
    const { file, context, field } = place;
    const where = [file, context === undefined ? undefined : `context ${context}`, field].filter(
      (part) => part !== undefined && part !== "",
    );
    super(where.length === 0 ? why : `${where.join(": ")}: ${why}`, options);
    this.place = place;
  }
}
