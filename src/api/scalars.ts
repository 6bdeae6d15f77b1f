/** Types for values that the API writes as a plain string or number but that have a syntax of their own. */

/** An amount with an optional suffix: `100m`, `1Gi`, `2e3`. */
export type QuantityText = string;

/** A moment in RFC 3339, to the second: `2026-01-02T03:04:05Z`. */
export type Time = string;

/** A moment in RFC 3339 with six digits of fraction: `2026-01-02T03:04:05.000000Z`. */
export type MicroTime = string;

/** A number, or a name or percentage: `8080`, `http`, `25%`. */
export type IntOrString = number | string;
