/** The CustomResourceDefinition of a custom kind that knows its schema. */
import { defined, unlessEmpty } from "../../base/defined.js";
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "../generated/apiextensions-v1.js";
import { type CustomResourceOptions, type CustomResourceType, servesStatus } from "./definition.js";

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
        ...defined({ shortNames: unlessEmpty(shortNames), categories: unlessEmpty(categories) }),
      },
      versions: [stored, ...others].map((version, index) => versionOf(version.definition, index === 0)),
    },
  };
}

function versionOf(options: CustomResourceOptions, storage: boolean): CustomResourceDefinitionVersion {
  const { printerColumns, selectableFields, scale, deprecated } = options;
  const subresources = { ...(servesStatus(options) ? { status: {} } : {}), ...defined({ scale }) };
  return {
    name: options.version,
    served: true,
    storage,
    ...(deprecated ? { deprecated: true } : {}),
    ...(typeof deprecated === "string" ? { deprecationWarning: deprecated } : {}),
    schema: { openAPIV3Schema: options.schema },
    ...defined({ subresources: unlessEmpty(subresources), additionalPrinterColumns: printerColumns }),
    ...(selectableFields ? { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) } : {}),
  };
}
