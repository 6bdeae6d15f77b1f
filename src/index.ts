/** The short public face of Coxswain, in the order of the flow. */
export { systemClock, type Clock } from "./base/index.js";
export { StatusError } from "./api/index.js";
