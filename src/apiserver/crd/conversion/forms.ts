/**
 * The forms of a custom kind's objects: takes stored versions, gives them in the version of one endpoint, and the other
 * way round, by new names alone or by a webhook.
 */
import {
  apiVersionOf,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  type KubeObject,
  newInternalError,
} from "../../../api/index.js";
import type { Endpoint, View } from "../../contracts/endpoint.js";
import { viewMaker, viewsOf } from "../../registry/views.js";
import type { Stored } from "../../storage/contract.js";
import { withDefaults, withoutForbiddenNulls } from "../schema/defaults.js";
import type { PlainObject, StructuralSchema } from "../schema/json-schema.js";
import { schemaOf } from "../schema/of-version.js";
import { pruneObject } from "../schema/prune.js";
import type { ConvertedWork } from "./work.js";
import type { ConvertAll } from "./webhook.js";

export type Conversions = Pick<Endpoint, "view" | "toStorage" | "fromStorage" | "converter">;

export interface ConversionParts {
  /** Asks the definition's webhook; undefined if it has none. */
  readonly convert: ConvertAll | undefined;
  readonly work: ConvertedWork;
}

export function conversionsOf(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  { convert, work }: ConversionParts,
): Conversions {
  const { group, versions } = definition.spec;
  const storage = versions.find((one) => one.storage) ?? version;
  const schemas = new Map(versions.map((one) => [apiVersionOf({ group, version: one.name }), schemaOf(one)]));
  const own = { apiVersion: apiVersionOf({ group, version: version.name }), schema: schemaOf(version) };
  const stored = { apiVersion: apiVersionOf({ group, version: storage.name }), schema: schemaOf(storage) };
  const forms = { own, stored, schemas };
  return convert === undefined ? byName(forms) : byWebhook(convert, forms, work);
}

interface Form {
  readonly apiVersion: string;
  readonly schema: StructuralSchema;
}

/**
 * Reads a stored object through the current schema and the defaults of the version that it is in, which was the stored
 * version once; another version then shows the fields that its own schema has. An object that need not change is shared.
 */
function byName({ own, stored, schemas }: Forms): Conversions {
  const named = (object: KubeObject, { apiVersion }: Form): KubeObject =>
    object.apiVersion === apiVersion ? object : { ...object, apiVersion };
  return {
    view: viewsOf((object) => {
      const read = current(object, schemas.get(object.apiVersion) ?? stored.schema);
      return own.apiVersion === object.apiVersion ? read : inOrder(known(read, own.schema), own.apiVersion);
    }),
    toStorage: (object) => named(object, stored),
    fromStorage: (object) => named(object, own),
  };
}

/** `kind` and `apiVersion` come first, as in every answer. */
function inOrder(object: KubeObject, apiVersion: string): KubeObject {
  const { kind, apiVersion: _, metadata, ...rest } = object;
  return { kind, apiVersion, metadata, ...rest };
}

interface Forms {
  readonly own: Form;
  readonly stored: Form;
  readonly schemas: ReadonlyMap<string, StructuralSchema>;
}

const isStored = (one: Stored | KubeObject): one is Stored => "revision" in one && "bytes" in one;

/**
 * A stored version is read through the schema and the defaults of the version that it is in, then converted, and then
 * shows the fields that the wanted version has.
 *
 * Invariant: `views` and `objects` hold results of the webhook alone, and live as long as their originals.
 */
function byWebhook(convert: ConvertAll, { own, stored, schemas }: Forms, work: ConvertedWork): Conversions {
  const views = new WeakMap<Stored, View>();
  const objects = new WeakMap<KubeObject, KubeObject>();
  const read = (object: KubeObject): KubeObject => current(object, schemas.get(object.apiVersion) ?? stored.schema);
  const same = viewsOf(read);
  const encoded = viewMaker();
  const versions = new Set(schemas.keys());
  const save = async (object: KubeObject, signal: AbortSignal): Promise<KubeObject> => {
    const [converted] = await convert([object], stored.apiVersion, signal);
    return inOrder(known(converted as KubeObject, stored.schema), stored.apiVersion);
  };
  const isOwn = ({ apiVersion }: KubeObject): boolean => apiVersion === own.apiVersion;
  return {
    view(one) {
      const view = views.get(one) ?? (isOwn(one.object) ? same(one) : undefined);
      if (view === undefined) throw newInternalError(`${one.key} was not converted to ${own.apiVersion}`);
      return view;
    },
    toStorage: (object) => object,
    fromStorage: (object) => (isOwn(object) ? object : (objects.get(object) ?? object)),
    converter: {
      async load(originals, signal) {
        const due = originals.filter((one) =>
          isStored(one) ? !views.has(one) && !isOwn(one.object) : !objects.has(one) && !isOwn(one),
        );
        if (due.length === 0) return;
        const sources = due.map((one) => (isStored(one) ? read(one.object) : one));
        const converted = await convert(sources, own.apiVersion, signal);
        for (const [i, one] of due.entries()) {
          const object = inOrder(known(converted[i] as KubeObject, own.schema), own.apiVersion);
          if (isStored(one)) views.set(one, encoded(object));
          else objects.set(one, object);
        }
      },
      save,
      async rehearse(object, signal) {
        const kept = read(await save(object, signal));
        const [converted] = await convert([kept], own.apiVersion, signal);
        return inOrder(known(converted as KubeObject, own.schema), own.apiVersion);
      },
      run: (pure, signal) => work.run(pure, { convert, versions, signal }),
    },
  };
}

/** The object as the schema of its version shows it now. */
const current = (object: KubeObject, schema: StructuralSchema): KubeObject =>
  withDefaults(known(object, schema) as unknown as PlainObject, schema) as unknown as KubeObject;

const known = (object: KubeObject, schema: StructuralSchema): KubeObject =>
  withoutForbiddenNulls(
    pruneObject(object as unknown as PlainObject, schema, () => {}),
    schema,
  ) as unknown as KubeObject;
