/** Converts Events between events.k8s.io/v1 and core/v1, two sets of names for one object. core/v1 is stored. */
import type { KubeObject } from "../../api/index.js";
import type { Conversion } from "../contracts/endpoint.js";
import { convert } from "./convert.js";

/** The members that have two names: first that of events.k8s.io/v1, then that of core/v1. */
const twoNames = [
  ["note", "message"],
  ["regarding", "involvedObject"],
  ["reportingController", "reportingComponent"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
] as const;

const toCore: ReadonlyMap<string, string> = new Map(twoNames);
const fromCore: ReadonlyMap<string, string> = new Map(twoNames.map(([name, coreName]) => [coreName, name]));

function renamed(object: KubeObject, names: ReadonlyMap<string, string>): KubeObject {
  const members = Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value] as const);
  return Object.fromEntries(members) as unknown as KubeObject;
}

export const eventConversion: Conversion = {
  toStorage: (object) => convert("v1", { ...renamed(object, toCore) }),
  fromStorage: (object) => convert("events.k8s.io/v1", { ...renamed(object, fromCore) }),
};
