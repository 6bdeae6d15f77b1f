/** base: takes nothing, gives every layer time, chance, lifetimes and containers. Knows no Kubernetes. */
export { abortable, abortReason, isAbortOf, type LinkedAbort, linkedAbort, onAbort } from "./abort.js";
export { type Clock, sleepOn, systemClock, type Timer } from "./clock.js";
export type { HttpBody, HttpHeaders, HttpRequest, HttpResponse, Transport } from "./http.js";
export { Lifetime, type Running, startRunning } from "./lifetime.js";
export { type Random, seededRandom, systemRandom } from "./random.js";
export { unreachable } from "./unreachable.js";
