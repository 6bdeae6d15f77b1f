/** table: the table that kubectl shows for each kind. Pure: takes an object and the time, gives cells. */
import { lookup } from "../../base/members.js";
import type { GroupVersionKind } from "../../api/index.js";
import type { TableRenderer } from "../contracts/table.js";
import { autoscalerTables } from "./autoscaling.js";
import { clusterTables } from "./cluster.js";
import { defaultTable, type Tables } from "./kind-table.js";
import { machineryTables } from "./machinery.js";
import { networkTables } from "./network.js";
import { podTable } from "./pods.js";
import { storageTables } from "./storage.js";
import { workloadTables } from "./workloads.js";

export { customScaleTable, scaleTable } from "./autoscaling.js";
export { customTable } from "./custom.js";
export { humanDuration } from "./human.js";
export { parseJsonPath } from "./json-path.js";
export { defaultTable } from "./kind-table.js";

/** The key is `group/Kind`, or `group/version/Kind` where versions differ. */
const tables: Tables = lookup({
  "/Pod": podTable,
  ...autoscalerTables,
  ...clusterTables,
  ...machineryTables,
  ...networkTables,
  ...storageTables,
  ...workloadTables,
});

/** The table of a built-in kind; kinds without one get name and creation time. */
export function rendererOf({ group, version, kind }: GroupVersionKind): TableRenderer {
  return tables[`${group}/${version}/${kind}`] ?? tables[`${group}/${kind}`] ?? defaultTable;
}
