/** An operator for the tests of manifests whose webhooks a server reaches through their Service, on a port of its choice. */
import { defineResource, Manager, type ManagerOptions, withVersions } from "coxswain";

const names = { group: "routed.example.com", kind: "Valve", plural: "valves", scope: "Namespaced" } as const;

const ValveV1 = defineResource({
  ...names,
  version: "v1",
  schema: {
    type: "object",
    required: ["spec"],
    properties: {
      spec: { type: "object", properties: { open: { type: "boolean" }, litres: { type: "integer" } } },
    },
  },
});
export const ValveV1beta1 = defineResource({
  ...names,
  version: "v1beta1",
  schema: {
    type: "object",
    required: ["spec"],
    properties: {
      spec: { type: "object", properties: { open: { type: "boolean" }, flow: { type: "string" } } },
    },
  },
});

export const Valve = withVersions(ValveV1, {
  type: ValveV1beta1,
  toHub: ({ spec: { flow, ...spec } }) => ({ spec: { ...spec, ...(flow && { litres: Number.parseInt(flow, 10) }) } }),
  fromHub: ({ spec: { litres, ...spec } }) => ({
    spec: { ...spec, ...(litres !== undefined && { flow: `${litres} l` }) },
  }),
});

export const portVariable = "COXSWAIN_TEST_WEBHOOK_PORT";

export function operator({ webhooks, ...options }: ManagerOptions): Manager {
  const port = Number(process.env[portVariable]);
  const manager = new Manager({ ...options, ...(webhooks && { webhooks: { ...webhooks, port } }) });
  manager.webhook({
    for: Valve,
    default: ({ object }) => ({ ...object, spec: { open: false, ...object.spec } }),
    validate: ({ object }) =>
      (object.spec.litres ?? 0) > 100 ? { field: "spec.litres", message: "the pipe bursts" } : undefined,
  });
  return manager;
}
