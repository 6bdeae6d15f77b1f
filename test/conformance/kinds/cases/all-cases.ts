/** All cases of all kinds. */
import { coreCases } from "./core-cases.js";
import { definitionCases } from "./definition-cases.js";
import { deviceCases } from "./device-cases.js";
import type { Cases } from "../differential.js";
import { networkCases } from "./network-cases.js";
import { podCases } from "./pod-cases.js";
import { policyCases } from "./policy-cases.js";
import { storageCases } from "./storage-cases.js";
import { unwiseCases } from "./unwise-cases.js";
import { workloadCases } from "./workload-cases.js";

export const allCases: readonly Cases[] = [
  ...podCases,
  ...workloadCases,
  ...coreCases,
  ...networkCases,
  ...policyCases,
  ...storageCases,
  ...deviceCases,
  ...definitionCases,
  ...unwiseCases,
];
