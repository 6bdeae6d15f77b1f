/** The path of a field in an object, as error causes name it: `spec.containers[0].name`, `metadata.labels[app]`. */

/**
 * A path is immutable; `child`, `index` and `key` give longer ones. It is a chain of small steps and turns into text
 * only when an error is made, so that valid objects cost no string building.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #step: string | number;
  readonly #subscript: boolean;

  constructor(step: string | number, parent?: FieldPath, subscript = false) {
    this.#parent = parent;
    this.#step = step;
    this.#subscript = subscript;
  }

  /** `path.child("spec", "replicas")` is `path.spec.replicas`. */
  child(name: string, ...more: readonly string[]): FieldPath {
    let path = new FieldPath(name, this);
    for (let i = 0; i < more.length; i++) path = new FieldPath(more[i] as string, path);
    return path;
  }

  /** An item of a list: `path[3]`. */
  index(index: number): FieldPath {
    return new FieldPath(index, this, true);
  }

  /** An entry of a map: `path[app]`. */
  key(key: string): FieldPath {
    return new FieldPath(key, this, true);
  }

  toString(): string {
    const own = this.#subscript ? `[${this.#step}]` : `${this.#step}`;
    if (this.#parent === undefined) return own;
    return this.#subscript ? `${this.#parent}${own}` : `${this.#parent}.${own}`;
  }
}

/** The start of a path: `fieldPath("spec", "template")`. */
export function fieldPath(name: string, ...more: readonly string[]): FieldPath {
  const root = new FieldPath(name);
  return more.length === 0 ? root : root.child(more[0] as string, ...more.slice(1));
}
