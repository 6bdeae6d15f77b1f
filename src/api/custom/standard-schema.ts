/** Schemas of other libraries: takes schemas that follow Standard Schema, and plain JSON Schema; gives structural schemas. */
import { isRecord, lookup } from "../../base/members.js";
import { messageOf } from "../../base/log/errors.js";
import { shown } from "../../base/options/options.js";
import { structuralSchema } from "./json-schema.js";
import type { TypedSchema } from "./schema.js";

/** The part of Standard Schema (StandardJSONSchemaV1) that is needed here; zod, arktype and others have it. */
export interface StandardJsonSchema<Output = unknown> {
  readonly "~standard": {
    readonly vendor: string;
    readonly types?: { readonly output: Output } | undefined;
    readonly jsonSchema: { readonly output: (options: JsonSchemaRequest) => Readonly<Record<string, unknown>> };
  };
}

interface JsonSchemaRequest {
  readonly target: "draft-2020-12";
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

type OutputOf<S extends StandardJsonSchema> = NonNullable<S["~standard"]["types"]>["output"];

/** Rejects a call whose type argument is not written out. */
type IfTyped<T> = [T] extends [never] ? never : object;

/** The structural schema of a zod, valibot or arktype schema, with its type: `schemaFrom(z.object({ spec: … }))`. */
export function schemaFrom<S extends StandardJsonSchema>(schema: S): TypedSchema<OutputOf<S>>;
/** The structural schema of a JSON Schema whose type is written out: `schemaFrom<Static<typeof Foo>>(Foo)` with typebox. */
export function schemaFrom<T = never>(schema: IfTyped<T>): TypedSchema<T>;
export function schemaFrom(schema: object): TypedSchema<unknown> {
  const { "~standard": standard, ...plain } = Object(schema) as Partial<StandardJsonSchema> & { type?: unknown };
  if (standard === undefined) {
    if (typeof plain.type !== "string") throw new TypeError(`schemaFrom takes a schema, not ${shown(schema)}`);
    return structuralSchema(schema) as TypedSchema<unknown>;
  }
  return structuralSchema(jsonSchemaOf(standard)) as TypedSchema<unknown>;
}

function jsonSchemaOf({ vendor, jsonSchema }: StandardJsonSchema["~standard"]): object {
  if (typeof jsonSchema?.output !== "function")
    throw new TypeError(
      `schemaFrom: this schema of ${vendor} has no JSON Schema: update the library (zod 4.2, arktype 2.1.28), or wrap the schema by toStandardJsonSchema of @valibot/to-json-schema`,
    );
  const strict = strictOptions[vendor];
  try {
    return jsonSchema.output({ target: "draft-2020-12", ...(strict && { libraryOptions: strict() }) });
  } catch (error) {
    throw new Error(`a structural schema cannot say all of this ${vendor} schema: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Options with which a library, if it has any, refuses the parts of a schema that it would otherwise leave out in silence. */
const strictOptions: Readonly<Record<string, () => Record<string, unknown>>> = lookup({
  // the path is known only to this function, which is called for each part
  zod: () => ({ unrepresentable: "any", override: refuseInZod }),
  arktype: () => ({ fallback: refuseInArktype }),
});

interface ZodPart {
  readonly path: readonly (string | number)[];
  readonly jsonSchema: object;
  readonly zodSchema: {
    readonly _zod: { readonly def: { readonly type: string; readonly checks?: readonly unknown[] } };
  };
}

function refuseInZod({ path, jsonSchema, zodSchema }: ZodPart): void {
  const { type, checks = [] } = zodSchema._zod.def;
  const isAnything = type === "any" || type === "unknown";
  const isOwnCheck = (check: unknown): boolean =>
    isRecord(check) &&
    isRecord(check["_zod"]) &&
    isRecord(check["_zod"]["def"]) &&
    check["_zod"]["def"]["check"] === "custom";
  const what = checks.some(isOwnCheck) ? "a function (refine)" : type;
  if (what !== type || (!isAnything && Object.keys(jsonSchema).length === 0))
    throw new Error(`${what} at ${pathOf(path)}`);
}

/** `.spec.size`, from the path of a JSON Schema's part. */
function pathOf(path: readonly (string | number)[]): string {
  const steps: string[] = [];
  for (let i = 0; i < path.length; i++) {
    if (path[i] === "properties") steps.push(`.${path[++i]}`);
    else if (path[i] === "items" || path[i] === "additionalProperties") steps.push("[]");
  }
  return steps.join("") || "the top";
}

function refuseInArktype({ code, base }: { readonly code: string; readonly base: object }): object {
  // the default itself is no constraint; the field is then one that every object must have
  if (code === "defaultValue") return base;
  throw new Error(code);
}
