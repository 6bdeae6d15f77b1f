/** The life of a namespace: born active with a finalizer of its own, terminating until that is taken away. To the registry. */
import { isDns1123Label, type Namespace } from "../../api/index.js";
import type { Strategy } from "./strategy.js";
import { maskTrailingDash } from "./write/object-meta.js";

const nameLabel = "kubernetes.io/metadata.name";
const finalizer = "kubernetes";

export const namespaceStrategy: Strategy<Namespace> = {
  group: "",
  kind: "Namespace",
  deleteReturnsObject: true,
  selectableFieldNames: ["status.phase", "name"],
  selectableFields: ({ status, metadata }) => ({ "status.phase": status?.phase ?? "", name: metadata.name }),
  validateName: (name, prefix) => isDns1123Label(prefix ? maskTrailingDash(name) : name),

  setDefaults(namespace) {
    const { name, labels } = namespace.metadata;
    if (!name || labels?.[nameLabel] === name) return namespace;
    return { ...namespace, metadata: { ...namespace.metadata, labels: { ...labels, [nameLabel]: name } } };
  },

  prepareForCreate(namespace) {
    // a generated name is known only now
    const { name, labels } = namespace.metadata;
    const finalizers = namespace.spec?.finalizers ?? [];
    return {
      ...namespace,
      metadata: { ...namespace.metadata, labels: { ...labels, [nameLabel]: name } },
      spec: { finalizers: finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer] },
      status: { phase: "Active" },
    };
  },

  prepareForUpdate: (namespace, old) => withSpec(namespace, old.spec),
  status: { prepareForUpdate: (namespace, old) => withSpec(namespace, old.spec) },
  subresources: {
    finalize: {
      prepareForUpdate: (namespace, old) => ({
        ...old,
        metadata: { ...old.metadata, ...managed(namespace) },
        spec: namespace.spec ?? {},
      }),
    },
  },

  holdsDeletion: ({ spec, metadata }) =>
    metadata.deletionTimestamp === undefined || (spec?.finalizers ?? []).length > 0,
  onDeletionStart: (namespace) => ({ ...namespace, status: { ...namespace.status, phase: "Terminating" } }),
};

function withSpec(namespace: Namespace, spec: Namespace["spec"]): Namespace {
  const { spec: _, ...rest } = namespace;
  return spec === undefined ? rest : { ...rest, spec };
}

function managed({ metadata: { managedFields } }: Namespace): Partial<Namespace["metadata"]> {
  return managedFields === undefined ? {} : { managedFields };
}
