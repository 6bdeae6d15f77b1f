/** What events do differently in storage: they live for an hour after their last write. To the registry. */
import type { Event } from "../../api/index.js";
import type { Strategy } from "./strategy.js";

const names = [
  "involvedObject.kind",
  "involvedObject.namespace",
  "involvedObject.name",
  "involvedObject.uid",
  "involvedObject.apiVersion",
  "involvedObject.resourceVersion",
  "involvedObject.fieldPath",
  "reason",
  "reportingComponent",
  "source",
  "type",
] as const;

/** The same fields as the newer group names them. */
const aliases: Readonly<Record<string, string>> = { reportingController: "reportingComponent" };
for (const name of names)
  if (name.startsWith("involvedObject."))
    Object.assign(aliases, { [name.replace("involvedObject", "regarding")]: name });

export const eventStrategy: Strategy<Event> = {
  group: "",
  kind: "Event",
  ttlMs: 3_600_000,
  allowCreateOnUpdate: true,
  defaultPropagation: "Unsupported",
  selectableFieldNames: [...names, ...Object.keys(aliases)],
  selectableFields({ involvedObject: object, reason = "", reportingComponent = "", source, type = "" }) {
    const values: Record<string, string> = {
      "involvedObject.kind": object.kind ?? "",
      "involvedObject.namespace": object.namespace ?? "",
      "involvedObject.name": object.name ?? "",
      "involvedObject.uid": object.uid ?? "",
      "involvedObject.apiVersion": object.apiVersion ?? "",
      "involvedObject.resourceVersion": object.resourceVersion ?? "",
      "involvedObject.fieldPath": object.fieldPath ?? "",
      reason,
      reportingComponent,
      source: source?.component || reportingComponent,
      type,
    };
    for (const [alias, name] of Object.entries(aliases)) values[alias] = values[name] ?? "";
    return values;
  },
};
