/** Throws if an option of a manager cannot be meant, before anything is made of it. */
import { checkOptions, type OptionRule } from "../base/index.js";
import type { ManagerOptions } from "./manager.js";

const rules = {
  client: "object",
  clusters: "object",
  namespaces: "list",
  resyncPeriodMs: {},
  transform: "function",
  freeze: "boolean",
  leaderElection: "object",
  http: "object",
  events: "text",
  memoryBudgetBytes: { min: 1 },
  stopTimeoutMs: { endless: true },
  journal: "object",
  clock: "object",
  random: "object",
  log: "object",
  metrics: "object",
} as const satisfies Record<keyof ManagerOptions, OptionRule>;

export function checkManagerOptions(options: ManagerOptions): void {
  checkOptions(options, { of: "manager", rules, required: ["client"] });
  const { http, leaderElection, events = "v1", client, clusters = {} } = options;
  for (const [name, one] of Object.entries({ client, ...clusters })) checkClient(`manager: ${name}`, one);
  if (http !== undefined) {
    const port = { max: 65_535, whole: true };
    checkOptions(http, { of: "manager: http", rules: { host: "text", port }, required: ["port"] });
  }
  if (leaderElection !== undefined) {
    const lease = { name: "text", namespace: "text" } as const;
    checkOptions(leaderElection.lease, { of: "manager: lease", rules: lease, required: ["name", "namespace"] });
  }
  if (events !== "v1" && events !== "events.k8s.io/v1")
    throw new TypeError(`manager: events must be v1 or events.k8s.io/v1, not ${String(events)}`);
}

/** `connect` gives a promise, and a forgotten `await` is the most frequent mistake of all. */
function checkClient(where: string, client: unknown): void {
  if (client instanceof Promise) throw new TypeError(`${where} is a promise: write await connect(…)`);
  if (typeof (client as { readonly resource?: unknown }).resource !== "function")
    throw new TypeError(`${where} is no client; connect(…) gives one`);
}
