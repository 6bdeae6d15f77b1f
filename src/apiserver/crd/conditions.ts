/** The conditions of a CustomResourceDefinition: the server sets them as names are accepted and instances go. */
import type { CustomResourceDefinition } from "../../api/index.js";

export interface DefinitionCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

function conditionOf({ status }: CustomResourceDefinition, type: string): DefinitionCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type) as DefinitionCondition | undefined;
}

export const isTrue = (definition: CustomResourceDefinition, type: string): boolean =>
  conditionOf(definition, type)?.status === "True";

/** The transition time changes only with the status. */
export function withCondition(
  definition: CustomResourceDefinition,
  condition: DefinitionCondition,
): CustomResourceDefinition {
  const before = conditionOf(definition, condition.type);
  const { status } = definition;
  const time = before?.status === condition.status ? before.lastTransitionTime : condition.lastTransitionTime;
  const now = { ...condition, lastTransitionTime: time };
  const others = status?.conditions ?? [];
  const conditions =
    before === undefined ? [...others, now] : others.map((one) => (one.type === condition.type ? now : one));
  return {
    ...definition,
    status: { acceptedNames: { plural: "", kind: "" }, storedVersions: [], ...status, conditions } as NonNullable<
      CustomResourceDefinition["status"]
    >,
  };
}
