/** An operator for the tests of manifests whose replicas share its objects by shards. */
import { defineResource, Manager, type ManagerOptions, type ObjectOf } from "coxswain";

export const Meter = defineResource({
  group: "sharded.example.com",
  version: "v1",
  kind: "Meter",
  plural: "meters",
  scope: "Namespaced",
  schema: {
    type: "object",
    properties: { status: { type: "object", properties: { by: { type: "string" } } } },
  },
});
export type Meter = ObjectOf<typeof Meter>;

export function operator(options: ManagerOptions): Manager {
  const manager = new Manager({ ...options, sharding: { shards: 8 } });
  manager.controller({
    name: "meters",
    for: Meter,
    async reconcile({ object, client }) {
      await client.status(Meter).patch(object, { by: manager.sharder?.identity ?? "" });
    },
  });
  return manager;
}
