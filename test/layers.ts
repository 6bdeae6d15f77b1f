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
  manager: ["client", "informer", "controller"],
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
  dashboard: ["client", "informer", "controller", "manager"],
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
  ],
} as const satisfies Record<string, readonly string[]>;

export type Layer = keyof typeof layers;

export const isLayer = (name: string): name is Layer => Object.hasOwn(layers, name);

/** Whether code of one layer may import from another. */
export function mayImport(from: Layer, to: Layer): boolean {
  if (from === to || to === "base") return true;
  if (to === "api") return from !== "base";
  return (layers[from] as readonly string[]).includes(to);
}

/** The table as ARCHITECTURE.md prints it. */
export function layerTable(): string {
  const rows = Object.entries(layers).map(([layer, others]) => {
    const allowed = layer === "base" ? "nothing, not even api" : others.join(", ") || "—";
    return `| ${layer} | ${allowed} |`;
  });
  return ["| layer | may import, besides base and api |", "|---|---|", ...rows].join("\n");
}
