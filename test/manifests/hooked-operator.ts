/** An operator for the tests of manifests: a kind in two versions with webhooks, and a webhook of a built-in kind. */
import { ConfigMap, defineResource, Manager, type ManagerOptions, withVersions } from "coxswain";

const names = { group: "hooked.example.com", kind: "Dial", plural: "dials", scope: "Namespaced" } as const;
const schema = {
  type: "object",
  properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
} as const;

const DialV1 = defineResource({ ...names, version: "v1", schema });
const DialV1beta1 = defineResource({ ...names, version: "v1beta1", schema });
const Dial = withVersions(DialV1, {
  type: DialV1beta1,
  toHub: ({ spec }) => ({ ...(spec && { spec }) }),
  fromHub: ({ spec }) => ({ ...(spec && { spec }) }),
});

export function operator(options: ManagerOptions): Manager {
  const manager = new Manager(options);
  manager.webhook({ for: Dial, default: ({ object }) => object, validate: () => undefined });
  manager.webhook({ for: ConfigMap, failurePolicy: "Ignore", validate: () => undefined });
  return manager;
}
