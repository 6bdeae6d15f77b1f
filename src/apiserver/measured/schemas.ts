/** The OpenAPI schemas of the measured kinds. */
import { lookup } from "../../base/members.js";

type Schema = Readonly<Record<string, unknown>>;

const time: Schema = { type: "string", format: "date-time" };
const usage: Schema = {
  type: "object",
  description: "The amounts by resource: cpu, memory.",
  additionalProperties: { type: "string" },
};

const measured = (properties: Schema): Schema => ({
  type: "object",
  required: ["timestamp", "window", ...Object.keys(properties)],
  properties: {
    timestamp: { ...time, description: "The end of the interval that was measured." },
    window: { type: "string", description: "The length of the interval that was measured." },
    ...properties,
  },
});

const container: Schema = {
  type: "object",
  required: ["name", "usage"],
  properties: { name: { type: "string", description: "The name of the container." }, usage },
};

/** By plural. */
export const usageSchemas: Readonly<Record<string, Schema>> = lookup({
  nodes: measured({ usage }),
  pods: measured({ containers: { type: "array", items: container } }),
});
