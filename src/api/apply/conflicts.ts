/** Reads the conflicts of a refused server-side apply: each field with its owner. */
import { defined } from "../../base/defined.js";
import { StatusError } from "../status.js";

export interface FieldConflict {
  /** The owner's name, e.g. `kubectl`. */
  readonly manager: string;
  /** `Update` if the owner wrote with an update or patch, `Apply` if it applied too. */
  readonly operation: "Apply" | "Update";
  readonly subresource?: string;
  /** `.spec.template.spec.containers[name="web"].image` */
  readonly field: string;
}

const shape = /^conflict with "((?:[^"\\]|\\.)*)"(?: with subresource "([^"]*)")?(?: using (\S+))?/;

/** The conflicts in a server's refusal of an apply; empty for any other error. */
export function applyConflicts(error: unknown): readonly FieldConflict[] {
  if (!(error instanceof StatusError)) return [];
  const causes = error.status.details?.causes ?? [];
  return causes
    .filter(({ reason }) => reason === "FieldManagerConflict")
    .map(({ message = "", field = "" }) => {
      const [, manager = "", subresource, version] = shape.exec(message) ?? [];
      return {
        manager,
        operation: version === undefined ? "Apply" : "Update",
        ...defined({ subresource }),
        field,
      };
    });
}
