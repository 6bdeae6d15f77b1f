/** All scenarios, in the order in which they are played. */
import type { Scenario } from "../scenario.js";
import { corners } from "./corners/index.js";
import { daemonSets } from "./daemonsets.js";
import { deployments } from "./deployments.js";
import { claimsOfDevices } from "./resources/devices.js";
import { endings } from "./endings.js";
import { jobs } from "./jobs.js";
import { nodes } from "./nodes.js";
import { randomLives } from "./random.js";
import { replicaSets } from "./replicasets.js";
import { ranges } from "./resources/ranges.js";
import { services } from "./services.js";
import { storage } from "./resources/storage.js";
import { statefulSets } from "./statefulsets.js";

/** All of them, the long ones first; each has a namespace of its own. */
export const scenarios: readonly Scenario[] = [
  ...nodes,
  ...randomLives,
  ...jobs,
  ...endings,
  ...corners,
  ...deployments,
  ...replicaSets,
  ...daemonSets,
  ...statefulSets,
  ...services,
  ...storage,
  ...ranges,
  ...claimsOfDevices,
];
