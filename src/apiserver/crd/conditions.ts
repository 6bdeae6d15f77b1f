/** The conditions of a CustomResourceDefinition: the server sets them as names are accepted and instances go. */
import { type CustomResourceDefinition, isConditionTrue, setCondition } from "../../api/index.js";

export interface DefinitionCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export const isTrue = ({ status }: CustomResourceDefinition, type: string): boolean =>
  isConditionTrue(status?.conditions, type);

/** The transition time changes only with the status. */
export function withCondition(
  definition: CustomResourceDefinition,
  condition: DefinitionCondition,
): CustomResourceDefinition {
  const { status } = definition;
  const conditions = setCondition(status?.conditions, condition, condition.lastTransitionTime);
  return {
    ...definition,
    status: { acceptedNames: { plural: "", kind: "" }, storedVersions: [], ...status, conditions } as NonNullable<
      CustomResourceDefinition["status"]
    >,
  };
}
