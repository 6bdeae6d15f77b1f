/** Faults between operator and server: one request is refused, lost, late, repeated, or answered with an error. */
import type { FaultKind } from "../fault.js";

const both = ["write", "read"] as const;
const writes = ["write"] as const;

/** The request does not reach the server, and the operator knows it. */
export const refuse: FaultKind = {
  name: "refuse",
  about: "A connection is refused: the request does not reach the server, and the operator knows it.",
  strikesOn: both,
  strike: () => ({ type: "refuse" }),
};

export const drop: FaultKind = {
  name: "drop",
  about: "A request is lost on its way; for the operator it might have arrived.",
  strikesOn: both,
  strike: () => ({ type: "drop" }),
};

export const loseAnswer: FaultKind = {
  name: "lose-answer",
  about: "The server does what it was asked, and the answer is lost.",
  strikesOn: writes,
  weight: 2,
  strike: () => ({ type: "lose-answer" }),
};

export const delay: FaultKind = {
  name: "delay",
  about: "A request takes long.",
  strikesOn: both,
  lasts: [50, 20_000],
  strike: ({ forMs = 1_000 }) => ({ type: "delay", ms: forMs }),
};

export const timeOut: FaultKind = {
  name: "time-out",
  about: "A request is not answered before the operator gives it up.",
  strikesOn: both,
  strike: () => ({ type: "delay", ms: 10 * 60_000 }),
};

export const duplicate: FaultKind = {
  name: "duplicate",
  about: "An update, patch or deletion reaches the server twice.",
  strikesOn: writes,
  // a creation under a generated name would leave an object behind that no operator could know of
  strike: (_, { target }) => (target?.verb === "create" ? undefined : { type: "duplicate" }),
};

export const conflict: FaultKind = {
  name: "conflict",
  about: "A write is answered with 409 Conflict.",
  strikesOn: writes,
  strike: () => ({ type: "answer", code: 409 }),
};

export const tooMany: FaultKind = {
  name: "too-many-requests",
  about: "A request is answered with 429 and Retry-After.",
  strikesOn: both,
  strike: () => ({ type: "answer", code: 429, retryAfterSeconds: 1 }),
};

export const serverError: FaultKind = {
  name: "server-error",
  about: "A request is answered with 500.",
  strikesOn: both,
  strike: () => ({ type: "answer", code: 500 }),
};

export const unavailable: FaultKind = {
  name: "unavailable",
  about: "A request is answered with 503.",
  strikesOn: both,
  strike: () => ({ type: "answer", code: 503 }),
};
