/** The schema of `status.conditions`, the same for all kinds, for use inside the schema given to `defineResource`. */
import type { Condition } from "../generated/meta-v1.js";
import type { StructuralSchema, TypedSchema } from "./schema.js";

const schema: StructuralSchema = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["type", "status", "lastTransitionTime", "reason", "message"],
    properties: {
      type: { type: "string", maxLength: 316 },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      observedGeneration: { type: "integer", format: "int64", minimum: 0 },
      lastTransitionTime: { type: "string", format: "date-time" },
      reason: { type: "string", minLength: 1, maxLength: 1024 },
      message: { type: "string", maxLength: 32_768 },
    },
  },
};

/** `status: { type: "object", properties: { conditions: conditionsSchema } }`. The result of `withConditions` satisfies it. */
export const conditionsSchema: TypedSchema<readonly Condition[]> = schema as TypedSchema<readonly Condition[]>;
