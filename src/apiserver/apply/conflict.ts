/** Turns the conflicts of an apply into the answer that clients know: 409 with one cause for each field. */
import { goQuote, newApplyConflict, type StatusError } from "../../api/index.js";
import { type Identifier, parseIdentifier } from "./managed-entries.js";
import { pathText } from "./merge/path-element.js";
import type { Conflict } from "./merge/updater.js";

/** Limit on the conflicts that are told one by one; their number is told in any case. */
const maxTold = 1_000;

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const sorted = conflicts.toSorted((a, b) => (a.manager < b.manager ? -1 : a.manager > b.manager ? 1 : 0));
  const named = sorted
    .slice(0, maxTold)
    .map(({ manager, path }) => ({ owner: ownerText(manager), field: pathText(path) }));
  const causes = named.map(({ owner, field }) => {
    return { reason: "FieldManagerConflict", message: `conflict with ${owner}`, field };
  });
  return newApplyConflict(messageOf(named, conflicts.length), causes);
}

function messageOf(conflicts: readonly { readonly owner: string; readonly field: string }[], count: number): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${first.owner}: ${first.field}`;
  }
  const lines: string[] = [];
  let owner: string | undefined;
  for (const conflict of conflicts) {
    if (conflict.owner !== owner) lines.push(`conflicts with ${conflict.owner}:`);
    owner = conflict.owner;
    lines.push(`- ${conflict.field}`);
  }
  const rest = count > conflicts.length ? `\n- … and ${count - conflicts.length} more` : "";
  return `Apply failed with ${count} conflicts: ${lines.join("\n")}${rest}`;
}

function ownerText(identifier: string): string {
  const { manager = "", subresource, operation, apiVersion }: Identifier = parseIdentifier(identifier);
  const name =
    subresource === undefined ? goQuote(manager) : `${goQuote(manager)} with subresource ${goQuote(subresource)}`;
  return operation === "Update" ? `${name} using ${apiVersion ?? ""}` : name;
}
