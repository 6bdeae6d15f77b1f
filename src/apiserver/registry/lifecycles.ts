/** Kinds whose life the server itself conducts, beyond what the kinds say of themselves. Joined with their strategies. */
import type { Event, Namespace } from "../../api/index.js";
import type { Strategy } from "../contracts/strategy.js";

/** A namespace is terminating from the moment of its deletion until its own finalizers are gone. */
export const namespaceLife: Strategy<Namespace> = {
  group: "",
  kind: "Namespace",
  holdsDeletion: ({ spec, metadata }) =>
    metadata.deletionTimestamp === undefined || (spec?.finalizers ?? []).length > 0,
  onDeletionStart: (namespace) => ({ ...namespace, status: { ...namespace.status, phase: "Terminating" } }),
};

/** The collector has no business with events. */
export const eventLife: Strategy<Event> = { group: "", kind: "Event", defaultPropagation: "Unsupported" };
