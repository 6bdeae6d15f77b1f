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

/** The folders of src/apiserver, each with the others that it may import. */
export const apiserverLayers = {
  storage: [],
  contracts: ["storage"],
  text: [],
  tls: [],
  generated: [],
  conversion: ["contracts"],
  codec: ["storage", "contracts"],
  discovery: ["contracts"],
  apply: ["contracts"],
  auth: ["storage", "contracts"],
  cel: ["contracts", "text"],
  table: ["contracts", "conversion"],
  openapi: ["contracts", "codec"],
  services: ["storage", "contracts"],
  registry: ["storage", "contracts", "conversion", "codec", "discovery", "apply", "auth", "cel"],
  admission: ["storage", "contracts", "auth", "cel", "registry"],
  crd: ["storage", "contracts", "text", "codec", "apply", "cel", "table", "registry"],
  bootstrap: ["contracts", "generated", "registry", "crd"],
  http: ["storage", "contracts", "codec", "discovery", "openapi", "table", "auth", "registry"],
  subresources: ["storage", "contracts", "apply", "auth", "table", "registry", "admission", "http"],
  reviews: ["contracts", "auth", "http"],
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

/** Exported names that still mean two things to one reader. This list only shrinks: fold or rename, then take the name out. */
export const knownHomonyms: ReadonlySet<string> = new Set([
  "AccessOptions",
  "Amounts",
  "Bookmark",
  "ClusterOptions",
  "Collector",
  "Decoded",
  "EndState",
  "Entry",
  "Environment",
  "Failure",
  "History",
  "JsonObject",
  "KeyLoop",
  "KeyLoopOptions",
  "Labels",
  "Level",
  "ListOptions",
  "LogOptions",
  "Named",
  "ObjectName",
  "Operation",
  "Pattern",
  "Place",
  "Progress",
  "Quantity",
  "Report",
  "ScalePaths",
  "Scope",
  "Step",
  "Steps",
  "SyncResult",
  "Target",
  "Wake",
  "WatchEvent",
  "WatchOptions",
  "Watching",
  "amountsOf",
  "compare",
  "conditionRules",
  "createFieldManager",
  "endStateOf",
  "hasFailed",
  "inSlices",
  "isExpired",
  "jsonKind",
  "metaNamespaceKey",
  "nothing",
  "parseAddress",
  "referenceTo",
  "refusal",
  "runProgram",
  "shown",
  "startApiServer",
  "statusOf",
  "typeOf",
  "unavailable",
  "withoutNulls",
]);
