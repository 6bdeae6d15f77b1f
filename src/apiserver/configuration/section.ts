/** Takes the text of a configuration file (YAML or JSON); gives its fields in the types that are asked for, and all faults at once. */
import { type FieldError, type FieldPath, fieldPath, printFieldErrors } from "../../api/index.js";
import { yamlToJson } from "../../api/yaml/index.js";
import { messageOf } from "../../base/index.js";
import { isRecord } from "../../base/members.js";

/** A configuration file cannot be used; the message names the fields. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

type Fields = Readonly<Record<string, unknown>>;

/** The facts that all sections of one file share. */
interface File {
  readonly faults: FieldError[];
  readonly sections: Section[];
}

/** One object of the file. A field of a wrong type is a fault and counts as absent. */
export class Section {
  readonly #fields: Fields;
  readonly #path: FieldPath | undefined;
  readonly #file: File;
  readonly #known = new Set<string>();

  constructor(fields: Fields, path: FieldPath | undefined, file: File) {
    this.#fields = fields;
    this.#path = path;
    this.#file = file;
    file.sections.push(this);
  }

  at(name: string): FieldPath {
    return this.#path === undefined ? fieldPath(name) : this.#path.child(name);
  }

  /** The path of this object itself; undefined for the whole file. */
  get path(): FieldPath | undefined {
    return this.#path;
  }

  has(name: string): boolean {
    this.#known.add(name);
    return (this.#fields[name] ?? undefined) !== undefined;
  }

  fault(error: FieldError): void {
    this.#file.faults.push(error);
  }

  text(name: string): string {
    return this.#read(name, "a string", (value) => typeof value === "string") ?? "";
  }

  flag(name: string): boolean | undefined {
    return this.#read(name, "a boolean", (value) => typeof value === "boolean");
  }

  number(name: string): number | undefined {
    return this.#read(name, "an integer", (value) => Number.isSafeInteger(value));
  }

  texts(name: string): readonly string[] {
    const isTexts = (value: unknown): boolean =>
      Array.isArray(value) && value.every((item) => typeof item === "string");
    return this.#read(name, "a list of strings", isTexts) ?? [];
  }

  section(name: string): Section | undefined {
    const fields = this.#read<Fields>(name, "an object", isRecord);
    return fields && new Section(fields, this.at(name), this.#file);
  }

  /** The names of the fields. */
  names(): readonly string[] {
    return Object.keys(this.#fields);
  }

  /** The value as JSON, for another reader; undefined if there is none. */
  json(name: string): string | undefined {
    return this.has(name) ? JSON.stringify(this.#fields[name]) : undefined;
  }

  /** The object of this name; an empty one if there is none. Call it once for each name. */
  part(name: string): Section {
    return this.section(name) ?? new Section({}, this.at(name), this.#file);
  }

  sections(name: string): readonly Section[] {
    const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isRecord);
    const list = this.#read<readonly Fields[]>(name, "a list of objects", isList) ?? [];
    return this.at(name)
      .items(list)
      .map(([path, fields]) => new Section(fields, path, this.#file));
  }

  /** The fields of an object that is a fault as a whole are not reported one by one. */
  ignore(): void {
    for (const name of Object.keys(this.#fields)) this.#known.add(name);
  }

  /** The paths of the fields that nobody has asked for. */
  *unknown(): Generator<string> {
    for (const name of Object.keys(this.#fields)) if (!this.#known.has(name)) yield String(this.at(name));
  }

  #read<T>(name: string, what: string, fits: (value: unknown) => boolean): T | undefined {
    if (!this.has(name)) return undefined;
    const value = this.#fields[name];
    if (fits(value)) return value as T;
    this.fault(this.at(name).typeInvalid(value, `must be ${what}`));
    return undefined;
  }
}

export interface ExpectedKind {
  readonly kind: string;
  readonly apiVersions: readonly string[];
  /** Whether fields without a meaning are faults. */
  readonly strict?: boolean;
}

export interface Read<T> {
  readonly value: T;
  /** The paths of fields that have no meaning. */
  readonly unknown: readonly string[];
}

/** Throws a ConfigurationError with all faults that `read` has reported. */
export function readConfiguration<T>(text: string, expected: ExpectedKind, read: (file: Section) => T): Read<T> {
  const file: File = { faults: [], sections: [] };
  const top = new Section(fieldsOf(text), undefined, file);
  const [apiVersion, kind] = [top.text("apiVersion"), top.text("kind")];
  if (kind !== expected.kind || !expected.apiVersions.includes(apiVersion)) {
    const wanted = `kind ${expected.kind} of ${expected.apiVersions.join(" or ")}`;
    throw new ConfigurationError(
      `expected ${wanted}, found kind ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)}`,
    );
  }
  const value = read(top);
  const unknown = file.sections.flatMap((section) => [...section.unknown()]);
  if (expected.strict === true && unknown.length > 0) {
    const fields = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
    throw new ConfigurationError(`strict decoding error: ${fields.join(", ")}`);
  }
  if (file.faults.length > 0) throw new ConfigurationError(printFieldErrors(file.faults));
  return { value, unknown };
}

/** Reads a file that need not say of which kind it is. Throws a ConfigurationError with all faults that `read` has reported. */
export function readFields<T>(text: string, read: (file: Section) => T): T {
  const file: File = { faults: [], sections: [] };
  const value = read(new Section(fieldsOf(text), undefined, file));
  if (file.faults.length > 0) throw new ConfigurationError(printFieldErrors(file.faults));
  return value;
}

function fieldsOf(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(yamlToJson(text).json);
  } catch (error) {
    throw new ConfigurationError(`it is neither YAML nor JSON: ${messageOf(error)}`, { cause: error });
  }
  if (!isRecord(value)) throw new ConfigurationError("it holds no object");
  return value;
}
