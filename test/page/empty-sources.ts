/** The sources of a page for a process in which nothing runs. */
import { MetricsRegistry } from "../../src/base/index.js";
import type { PageSources } from "../../src/dashboard/index.js";

export function emptySources(): PageSources {
  return {
    title: "test",
    informers: () => [],
    loops: () => [],
    journal: () => undefined,
    metrics: new MetricsRegistry(),
    client: () => undefined,
    problems: () => [],
  };
}
