/**
 * The only place where the layering is written down: each layer may import the named ones, base and api (base may not
 * import api).
 */
export const layers = {
  base: [],
  api: [],
  apiserver: [],
  client: [],
  workqueue: [],
  informer: ["client"],
  controller: ["client", "informer", "workqueue"],
  webhook: ["client"],
  dashboard: ["client", "informer", "workqueue", "controller"],
  manager: ["client", "informer", "controller", "webhook", "dashboard"],
  opentelemetry: ["client", "workqueue", "controller", "webhook"],
  placement: ["informer"],
  builtin: ["client", "informer", "workqueue", "controller", "placement"],
  scheduler: ["client", "informer", "workqueue", "controller", "placement"],
  machines: ["client", "informer", "workqueue", "controller", "placement", "scheduler"],
  testing: [
    "apiserver",
    "client",
    "informer",
    "workqueue",
    "controller",
    "manager",
    "builtin",
    "scheduler",
    "machines",
  ],
  cli: [
    "apiserver",
    "client",
    "informer",
    "workqueue",
    "controller",
    "manager",
    "builtin",
    "scheduler",
    "machines",
    "testing",
    "dashboard",
    "opentelemetry",
  ],
} as const satisfies Record<string, readonly string[]>;

/** The folders of src/apiserver, each with the others that it may import. */
export const apiserverLayers = {
  storage: [],
  contracts: ["storage"],
  text: [],
  tls: [],
  configuration: [],
  outbound: ["storage", "contracts", "configuration"],
  webhook: ["storage", "configuration", "outbound"],
  audit: ["contracts", "outbound", "configuration"],
  generated: [],
  conversion: ["contracts"],
  codec: ["storage", "contracts"],
  discovery: ["contracts"],
  apply: ["contracts"],
  cel: ["contracts", "text"],
  auth: ["storage", "contracts", "configuration", "outbound", "cel"],
  table: ["contracts", "conversion"],
  openapi: ["contracts", "codec"],
  services: ["storage", "contracts"],
  flow: ["storage", "contracts"],
  registry: ["storage", "contracts", "conversion", "codec", "discovery", "apply", "auth", "cel"],
  admission: ["storage", "contracts", "configuration", "outbound", "auth", "cel", "webhook", "registry"],
  crd: ["storage", "contracts", "text", "webhook", "codec", "apply", "cel", "table", "registry"],
  bootstrap: ["contracts", "generated", "discovery", "flow", "registry", "crd"],
  http: ["storage", "contracts", "audit", "codec", "discovery", "openapi", "table", "auth", "flow", "registry"],
  kubelet: ["storage", "contracts", "outbound"],
  subresources: [
    "storage",
    "contracts",
    "apply",
    "auth",
    "table",
    "registry",
    "admission",
    "http",
    "outbound",
    "kubelet",
  ],
  measured: ["storage", "contracts", "registry", "http"],
  aggregation: ["storage", "contracts", "discovery", "openapi", "outbound", "registry", "http"],
  reviews: ["contracts", "auth", "registry", "http"],
  listen: ["contracts", "auth", "http", "tls"],
} as const satisfies Record<string, readonly string[]>;

export type Layer = keyof typeof layers;

export const isLayer = (name: string): name is Layer => Object.hasOwn(layers, name);

/** Whether code of one layer may import from another. */
export function mayImport(from: Layer, to: Layer): boolean {
  if (from === to || to === "base") return true;
  if (to === "api") return from !== "base";
  return (layers[from] as readonly string[]).includes(to);
}

/** A table as ARCHITECTURE.md and src/apiserver/README.md print it; `name` is what its rows are called. */
export function layerTable(name: string, table: Readonly<Record<string, readonly string[]>>): string {
  const rows = Object.entries(table).map(([layer, others]) => {
    const allowed = layer === "base" ? "nothing, not even api" : others.join(", ") || "—";
    return `| ${layer} | ${allowed} |`;
  });
  return [`| ${name} | may import, besides base and api |`, "|---|---|", ...rows].join("\n");
}

/**
 * Module-level bindings that change after loading, as `path name`, by the reason why they may. New state belongs to the
 * object that owns it.
 */
export const processState: Readonly<Record<string, readonly string[]>> = {
  "computed from the generated tables, when first asked": [
    "src/api/schema/patch-schema.ts schemas",
    "src/api/schema/patch-schema.ts fields",
    "src/api/schema/table.ts parsed",
    "src/api/schema/typed-form.ts plans",
    "src/api/schema/typed-form.ts absentValues",
  ],
  "a pure result for a text, of a bounded number of texts": ["src/client/request/request.ts sharedHeaders"],
  "of the process itself": [
    "src/base/leaks.ts tracked",
    "src/base/leaks.ts opened",
    "src/base/time/fake-clock.ts waiting",
    "src/client/config/exec-plugin.ts shared",
    "src/manager/program/signals.ts inUse",
  ],
};
