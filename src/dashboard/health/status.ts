/** Reads the status of an object of any kind: takes whatever a server sent, gives the parts that are well formed. */
import type { KubeObject } from "../../api/index.js";
import { asText, isRecord } from "../../base/members.js";

export interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Custom kinds may have anything in their status. */
export function statusFields(object: KubeObject): Readonly<Record<string, unknown>> {
  return recordOf(object, "status");
}

export function conditionsOf(object: KubeObject): readonly ShownCondition[] {
  return recordsOf(statusFields(object)["conditions"]).map(conditionFrom);
}

/** Cheap, for maps of many objects. */
export function conditionOf(object: KubeObject, wanted: string): ShownCondition | undefined {
  const { conditions } = statusFields(object);
  if (!Array.isArray(conditions)) return undefined;
  const found: unknown = conditions.find((one: unknown) => isRecord(one) && one["type"] === wanted);
  return isRecord(found) ? conditionFrom(found) : undefined;
}

const conditionFrom = ({ type, status, reason, message }: Readonly<Record<string, unknown>>): ShownCondition => {
  return { type: asText(type), status: asText(status), reason: asText(reason), message: asText(message) };
};

export const recordsOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** A member that is an object; an empty one if it is none. */
export function recordOf(value: unknown, member: string): Readonly<Record<string, unknown>> {
  const found = isRecord(value) ? value[member] : undefined;
  return isRecord(found) ? found : {};
}
