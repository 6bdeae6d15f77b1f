/** Strategies of kinds whose life cycle the server itself conducts, beyond the kinds' own strategies. */
import type { Event, Namespace } from "../../api/index.js";
import type { Strategy } from "../contracts/strategy.js";

/** A namespace is terminating from the moment of its deletion until its spec.finalizers are gone. */
export const namespaceLife: Strategy<Namespace> = {
  group: "",
  kind: "Namespace",
  holdsDeletion: ({ spec, metadata }) =>
    metadata.deletionTimestamp === undefined || (spec?.finalizers ?? []).length > 0,
  onDeletionStart: (namespace) => ({ ...namespace, status: { ...namespace.status, phase: "Terminating" } }),
};

/** The garbage collector ignores events. */
export const eventLife: Strategy<Event> = { group: "", kind: "Event", defaultPropagation: "Unsupported" };
