/** Custom kinds that know their schema, and the CustomResourceDefinition that installs them. */
import { defined } from "../../base/defined.js";
import { checkSchema } from "./check-schema.js";
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "../generated/apiextensions-v1.js";
import type { KubeObject, ObjectMeta } from "../object.js";
import { type GivenNames, namesOf, type ResourceType } from "../resource-type.js";
import type { StructuralSchema, TypeFromSchema } from "./schema.js";
import type { AnyVersion } from "./versions.js";

export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** Columns above 0 appear in wide output only. */
  readonly priority?: number;
}

/** The fields behind the `scale` subresource, as simple paths: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** The facts from which a custom kind's type, descriptor and definition are made. */
export interface CustomResourceOptions extends GivenNames {
  /** The schema of the whole object; kind, apiVersion and metadata need not be described. */
  readonly schema: StructuralSchema;
  /** Whether `status` is a subresource. Default: true if the schema has a `status`. */
  readonly status?: boolean;
  readonly scale?: ScalePaths;
  readonly printerColumns?: readonly PrinterColumn[];
  /** Paths that field selectors may use, e.g. `.spec.color`. */
  readonly selectableFields?: readonly string[];
  /** Makes the server warn the users of this version; text replaces the standard warning. */
  readonly deprecated?: boolean | string;
}

type FieldsOf<O extends CustomResourceOptions> = Omit<TypeFromSchema<O["schema"]>, "apiVersion" | "kind" | "metadata">;

/** The type of the objects that the options describe. */
export type CustomObject<O extends CustomResourceOptions> = {
  readonly apiVersion: `${O["group"]}/${O["version"]}`;
  readonly kind: O["kind"];
  readonly metadata: ObjectMeta;
} & { readonly [Key in keyof FieldsOf<O>]: FieldsOf<O>[Key] };

/** A descriptor that also carries the definition of its kind. */
export interface CustomResourceType<T extends KubeObject = KubeObject> extends ResourceType<T> {
  readonly definition: CustomResourceOptions;
  /** The versions beside this one, if there are any (`withVersions`). */
  readonly versions?: readonly AnyVersion[];
}

export function customResourceType(options: CustomResourceOptions): CustomResourceType {
  if (options.group === "") throw new Error(`${options.kind} needs a group: the core group holds built-in kinds only`);
  if (options.schema.type !== "object") throw new Error(`the schema of ${options.kind} must be of type "object"`);
  checkSchema(`defineResource ${options.kind}`, options.schema);
  return Object.freeze({
    ...namesOf(options),
    subresources: [...(hasStatus(options) ? ["status"] : []), ...(options.scale ? ["scale"] : [])],
    definition: options,
  });
}

function hasStatus({ status, schema }: CustomResourceOptions): boolean {
  return status ?? schema.properties?.["status"] !== undefined;
}

/**
 * The CustomResourceDefinition that makes a server serve a kind. Several versions of one kind may be given, here or by
 * `withVersions`; the first is the stored one. Throws if they are not versions of one kind.
 */
export function crdOf(stored: CustomResourceType, ...more: readonly CustomResourceType[]): CustomResourceDefinition {
  const others = [...(stored.versions ?? []).map(({ type }) => type), ...more];
  const { group, plural, singular, kind, listKind, scope, shortNames, categories } = stored;
  for (const other of others) {
    const same = other.group === group && other.kind === kind && other.plural === plural && other.scope === scope;
    if (!same) throw new Error(`${other.plural}.${other.group} is no other version of ${plural}.${group}`);
  }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        plural,
        singular,
        kind,
        listKind,
        ...(shortNames.length > 0 ? { shortNames } : {}),
        ...(categories.length > 0 ? { categories } : {}),
      },
      versions: [stored, ...others].map((version, index) => versionOf(version.definition, index === 0)),
    },
  };
}

function versionOf(options: CustomResourceOptions, storage: boolean): CustomResourceDefinitionVersion {
  const { printerColumns, selectableFields, scale, deprecated } = options;
  const subresources = { ...(hasStatus(options) ? { status: {} } : {}), ...defined({ scale }) };
  return {
    name: options.version,
    served: true,
    storage,
    ...(deprecated ? { deprecated: true } : {}),
    ...(typeof deprecated === "string" ? { deprecationWarning: deprecated } : {}),
    schema: { openAPIV3Schema: options.schema },
    ...(Object.keys(subresources).length > 0 ? { subresources } : {}),
    ...defined({ additionalPrinterColumns: printerColumns }),
    ...(selectableFields ? { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) } : {}),
  };
}
