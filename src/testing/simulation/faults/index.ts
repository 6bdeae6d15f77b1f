/** All kinds of faults, by the place where they strike. */
import * as again from "./again.js";
import * as asks from "./asks.js";
import * as children from "./children.js";
import * as exchange from "./exchange.js";
import type { FaultKind } from "../fault.js";
import * as operator from "./operator.js";
import * as views from "./views.js";
import * as world from "./world.js";

/** Every kind of fault. A choice of them is `allFaults.filter(({ name }) => …)`. */
export const allFaults: readonly FaultKind[] = [exchange, views, operator, children, again, asks, world].flatMap(
  (family) => Object.values(family),
);
