/** The only place the layering is written down: each layer may import those named, and base and api (base may not import api). */
export const layers = {
  base: [],
  api: [],
  apiserver: [],
  client: [],
  workqueue: [],
  informer: ["client"],
  controller: ["client", "informer", "workqueue"],
  manager: ["client", "informer", "controller"],
  controllers: ["client", "informer", "workqueue", "controller"],
  node: ["client", "informer", "workqueue", "controller"],
  testing: ["apiserver", "client", "informer", "workqueue", "controller", "manager", "controllers", "node"],
  dashboard: ["client", "informer", "controller", "manager"],
  cli: [
    "apiserver",
    "client",
    "informer",
    "workqueue",
    "controller",
    "manager",
    "controllers",
    "node",
    "testing",
    "dashboard",
  ],
} as const satisfies Record<string, readonly string[]>;

export type Layer = keyof typeof layers;
