/** The strategy of the kind CustomResourceDefinition: its defaults, its validation, and the start of its deletion. */
import { type CustomResourceDefinition, formatTime, isDeleting } from "../../api/index.js";
import type { Strategy } from "../contracts/strategy.js";
import { withCondition } from "./conditions.js";
import { validateDefinition, validateDefinitionStatus, validateDefinitionUpdate } from "./definition-validation.js";
import { unknownFormats } from "./version-validation.js";

type Conversion = NonNullable<CustomResourceDefinition["spec"]["conversion"]>;

export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

export const definitionStrategy: Strategy<CustomResourceDefinition> = {
  group: "apiextensions.k8s.io",
  kind: "CustomResourceDefinition",
  lenient: { finalizers: true, prefixOnUpdate: true },
  generation: "spec",
  allowUnconditionalUpdate: false,

  setDefaults(definition) {
    const { names, conversion, versions } = definition.spec;
    const { kind } = names;
    // a status that names no stored version is taken for that of a new definition
    const isNew = definition.status !== undefined && (definition.status.storedVersions ?? []).length === 0;
    return {
      ...(isNew ? withStoredVersions(definition) : definition),
      spec: {
        ...definition.spec,
        names: {
          ...names,
          singular: names.singular || kind.toLowerCase(),
          listKind: names.listKind || (kind && `${kind}List`),
        },
        // a client may send null
        versions: versions ?? [],
        conversion: withoutEmptyWebhook(conversion ?? { strategy: "None" }),
      },
    };
  },

  prepareForCreate: (definition) => withStoredVersions({ ...definition, status: emptyStatus }),
  prepareForUpdate: (definition) => withStoredVersions(definition),
  validateCreate: validateDefinition,
  validateUpdate: validateDefinitionUpdate,
  status: { validateUpdate: validateDefinitionStatus },
  warningsOnCreate: formatWarnings,
  warningsOnUpdate: (definition, old) => {
    const before = formatWarnings(old);
    return formatWarnings(definition).filter((warning) => !before.includes(warning));
  },

  onDeletionStart(definition, now) {
    const finalizers = definition.metadata.finalizers ?? [];
    const dying = withCondition(definition, {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionPending",
      message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
      lastTransitionTime: formatTime(now),
    });
    if (finalizers.includes(cleanupFinalizer)) return dying;
    return { ...dying, metadata: { ...dying.metadata, finalizers: [...finalizers, cleanupFinalizer] } };
  },
  // a deletion waits until the server has deleted the instances
  holdsDeletion: (definition) => !isDeleting(definition),
};

/** A webhook that says nothing is not kept. */
function withoutEmptyWebhook(conversion: Conversion): Conversion {
  const { webhook, ...rest } = conversion;
  const said = webhook?.clientConfig ?? (webhook?.conversionReviewVersions ?? [])[0];
  return webhook === undefined || said !== undefined ? conversion : rest;
}

const emptyStatus = { conditions: null as never, acceptedNames: { plural: "", kind: "" }, storedVersions: [] } as const;

function formatWarnings({ spec }: CustomResourceDefinition): readonly string[] {
  const formats = new Set(spec.versions.flatMap(unknownFormats));
  return [...formats].map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function withStoredVersions(definition: CustomResourceDefinition): CustomResourceDefinition {
  const storage = (definition.spec.versions ?? []).find((version) => version.storage)?.name;
  const stored = definition.status?.storedVersions ?? [];
  if (storage === undefined || stored.includes(storage)) return definition;
  return { ...definition, status: { ...emptyStatus, ...definition.status, storedVersions: [...stored, storage] } };
}
