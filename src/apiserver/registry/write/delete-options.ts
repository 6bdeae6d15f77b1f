/** DeleteOptions, from a request's body or its query, checked. */
import { fieldPath, newBadRequest, newInvalid, type StatusCause } from "../../../api/index.js";
import type { PropagationPolicy } from "../../contracts/strategy.js";
import { defined, unlessEmpty } from "../../../base/defined.js";

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: PropagationPolicy;
  readonly dryRun?: readonly string[];
}

const policies: readonly string[] = ["Foreground", "Background", "Orphan"];

/** A boolean of a query as Go parses it: true if it is present and neither "0" nor "false". */
export function parseQueryBool(text: string | null): boolean {
  return text !== null && text !== "0" && text.toLowerCase() !== "false";
}

export function deleteOptionsFromQuery(query: URLSearchParams): DeleteOptions {
  const grace = query.get("gracePeriodSeconds");
  const orphan = query.get("orphanDependents");
  const policy = query.get("propagationPolicy");
  const dryRun = query.getAll("dryRun");
  if (grace !== null && !/^-?\d+$/.test(grace)) {
    throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  }
  return defined({
    gracePeriodSeconds: grace === null ? undefined : Number(grace),
    orphanDependents: orphan === null ? undefined : parseQueryBool(orphan),
    propagationPolicy: (policy ?? undefined) as PropagationPolicy | undefined,
    dryRun: unlessEmpty(dryRun),
  });
}

/** Throws a 422 that names the kind of the options, as upstream does. */
export function checkDeleteOptions(options: DeleteOptions): void {
  const errors: StatusCause[] = [];
  if (options.orphanDependents !== undefined && options.propagationPolicy !== undefined) {
    const why = "orphanDependents and deletionPropagation cannot be both set";
    errors.push(fieldPath("propagationPolicy").invalid(options.propagationPolicy, why));
  }
  if (options.propagationPolicy !== undefined && !policies.includes(options.propagationPolicy)) {
    errors.push(fieldPath("propagationPolicy").notSupported(options.propagationPolicy, [...policies, "nil"]));
  }
  errors.push(...dryRunErrors(options.dryRun ?? []));
  if (errors.length > 0) throw newInvalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
}

export function dryRunErrors(values: readonly string[]): readonly StatusCause[] {
  const wrong = values.filter((value) => value !== "All");
  return wrong.length === 0 ? [] : [fieldPath("dryRun").notSupported(values, ["All"])];
}
