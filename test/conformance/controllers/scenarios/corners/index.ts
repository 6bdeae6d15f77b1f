/** The corner cases of workloads, which plain scenarios seldom reach. */
import type { Scenario } from "../../scenario.js";
import { budgetCorners } from "./budgets.js";
import { daemonSetCorners } from "./daemonsets.js";
import { deploymentCorners } from "./deployments.js";
import { jobCorners } from "./jobs.js";
import { replicaSetCorners } from "./replicasets.js";
import { statefulSetCorners } from "./statefulsets.js";

export const corners: readonly Scenario[] = [
  ...jobCorners,
  ...statefulSetCorners,
  ...deploymentCorners,
  ...daemonSetCorners,
  ...replicaSetCorners,
  ...budgetCorners,
];
