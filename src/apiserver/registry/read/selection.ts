/** The objects that a list or watch selects: takes its selectors, checks them against the kind, gives a match. */
import { type FieldSelector, newBadRequest, type Selector } from "../../../api/index.js";
import { own } from "../../../base/members.js";
import type { Stored } from "../../storage/contract.js";
import { type Endpoint, namespaced } from "../../contracts/endpoint.js";
import { workedOn } from "../views.js";

export interface Selection {
  readonly isEverything: boolean;
  /** Equal for selections that match the same objects. */
  readonly id: string;
  /** True if `matches` reads the endpoint's view of an object. */
  readonly needsView: boolean;
  /** Decodes the object only if labels and name do not decide. */
  matches(stored: Stored): boolean;
}

const everything: Selection = {
  isEverything: true,
  id: "",
  needsView: false,
  matches: () => true,
};

/** Throws a 400 for a field that the kind cannot be selected by. */
export function selectionFor(
  endpoint: Endpoint,
  { labels, fields }: { readonly labels: Selector; readonly fields: FieldSelector },
): Selection {
  if (labels.isEverything && fields.isEverything) return everything;
  const { strategy, served } = endpoint;
  const aliases = strategy.selectableFieldAliases?.[served.group];
  const known = new Set([
    "metadata.name",
    ...(namespaced(endpoint) || hasCommonFields(endpoint) ? ["metadata.namespace"] : []),
    ...(aliases?.keys() ?? Object.keys(strategy.selectableFields ?? {})),
  ]);
  for (const { field } of fields.requirements) {
    if (known.has(field)) continue;
    throw newBadRequest(unknownField(endpoint, field));
  }
  const stored = (field: string): string => aliases?.get(field) ?? field;
  return selectionOf(
    endpoint,
    labels,
    aliases === undefined ? fields : fields.transform((one) => ({ ...one, field: stored(one.field) })),
  );
}

function selectionOf(endpoint: Endpoint, labels: Selector, fields: FieldSelector): Selection {
  const needsObject = fields.requirements.some(({ field }) => !field.startsWith("metadata."));
  return {
    isEverything: labels.isEverything && fields.isEverything,
    id: `${labels} | ${fields}`,
    needsView: needsObject && endpoint.converter !== undefined,
    matches(stored) {
      if (!labels.matches(stored.labels)) return false;
      if (fields.isEverything) return true;
      const object = needsObject ? workedOn(endpoint, stored) : undefined;
      const slash = stored.key.indexOf("/");
      return fields.matches((field) => {
        if (field === "metadata.name") return stored.key.slice(slash + 1);
        if (field === "metadata.namespace") return slash === -1 ? "" : stored.key.slice(0, slash);
        return object === undefined ? "" : (own(endpoint.strategy.selectableFields, field)?.(object) ?? "");
      });
    },
  };
}

/** True for built-in kinds without selectable fields of their own; they allow metadata.namespace even in cluster scope. */
const hasCommonFields = ({ strategy, custom }: Endpoint): boolean => !custom && strategy.selectableFields === undefined;

/** Upstream words this differently for kinds with selectable fields of their own. */
function unknownField(endpoint: Endpoint, field: string): string {
  if (hasCommonFields(endpoint))
    return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  const { group, version, kind } = endpoint.served;
  if (group === "batch") return `field label ${JSON.stringify(field)} not supported for ${kind}`;
  const subject = group === "resource.k8s.io" ? ` for ${group}/${version}, Kind=${kind}` : "";
  return `field label not supported${subject}: ${field}`;
}
