/** Rules for one device of a slice. */
import {
  byteLength,
  type CounterSet,
  type Device,
  type DeviceAttribute,
  type DeviceCounterConsumption,
  semanticEqual,
} from "../../../../api/index.js";
import { dns1123Label, dns1123Subdomain, type Issues, type Path, required } from "../rules/issues.js";
import { nodeSelector } from "../rules/node-selector.js";
import { capacityRules } from "./capacities.js";
import { attributeName, distinct, entries, limited } from "./names.js";
import { bindingRules, taintRules } from "./taints.js";

const maxAttributes = 32;
const maxAttributeValues = 48;
const maxTaints = 16;
const maxCounterSets = 2;
const maxCounters = 32;
/** The longest name of an attribute: domain, slash and identifier. */
const attributeNameLength = 63 + 1 + 32;

export function* deviceRules(
  at: Path,
  device: Device,
  { old, placed }: { readonly old?: Device | undefined; readonly placed: boolean },
): Issues {
  const { attributes = {}, capacity = {}, taints } = device;
  yield* dns1123Label(at.child("name"), device.name ?? "");
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  if (count > maxAttributes) {
    yield at.invalid(count, `the total number of attributes and capacities must not exceed ${maxAttributes}`);
  }
  const values = Object.keys(attributes).length;
  if (values > maxAttributeValues) {
    yield at.invalid(values, `the total number of attribute values must not exceed ${maxAttributeValues}`);
  }
  const named = { shownLength: attributeNameLength, key: attributeName };
  yield* entries(at.child("attributes"), attributes, { ...named, value: attributeRules });
  const isShared = device.allowMultipleAllocations === true;
  yield* entries(at.child("capacity"), capacity, {
    ...named,
    value: (here, one) => capacityRules(here, one, isShared),
  });
  if (old === undefined || !semanticEqual(old.taints, taints)) {
    yield* limited(at.child("taints"), taints, maxTaints, taintRules);
  }
  yield* distinct(at.child("consumesCounters"), device.consumesCounters, {
    limit: maxCounterSets,
    key: ({ counterSet }) => counterSet,
    rule: consumptionRules,
  });
  yield* placed ? placeRules(at, device) : placelessRules(at, device);
  yield* bindingRules(at, device);
}

function* attributeRules(at: Path, attribute: DeviceAttribute): Issues {
  const { string, version } = attribute;
  if (string !== undefined && byteLength(string) > 64) yield at.child("string").tooLong(64);
  if (version !== undefined) yield* versionRules(at.child("version"), version);
  const given = [attribute.bool, attribute.int, string, version].filter((value) => value !== undefined).length;
  if (given === 1) return;
  yield at.invalid(given === 0 ? "" : shownAttribute(attribute), "exactly one value must be specified");
}

/** An attribute as messages print it: the members of a Go struct. */
function shownAttribute({ int, bool, string, version }: DeviceAttribute): unknown {
  return {
    IntValue: int ?? null,
    BoolValue: bool ?? null,
    StringValue: string ?? null,
    VersionValue: version ?? null,
    IntValues: null,
    BoolValues: null,
    StringValues: null,
    VersionValues: null,
  };
}

const number = "(0|[1-9]\\d*)";
const early = "(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)";
const build = "[0-9a-zA-Z-]+";
const semver = new RegExp(`^${number}\\.${number}\\.${number}(-${early}(\\.${early})*)?(\\+${build}(\\.${build})*)?$`);

function* versionRules(at: Path, version: string): Issues {
  const isTooLong = byteLength(version) > 64;
  if (!semver.test(version)) {
    yield at.invalid(version, "must be a string compatible with semver.org spec 2.0.0");
  }
  if (isTooLong) yield at.tooLong(64);
}

export function* counterSetRules(at: Path, { name = "", counters = {} }: Partial<CounterSet>): Issues {
  yield* required(at.child("name"), name, dns1123Label);
  yield* counterRules(at.child("counters"), counters);
}

function* consumptionRules(at: Path, { counterSet = "", counters = {} }: Partial<DeviceCounterConsumption>): Issues {
  yield* required(at.child("counterSet"), counterSet, dns1123Label);
  yield* counterRules(at.child("counters"), counters);
}

function* counterRules(at: Path, counters: CounterSet["counters"]): Issues {
  const count = Object.keys(counters).length;
  if (count === 0) yield at.required();
  else if (count > maxCounters) yield at.tooMany(count, maxCounters);
  else yield* entries(at, counters, { shownLength: 63, key: dns1123Label });
}

const onePlace =
  "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";

function* placeRules(at: Path, device: Device): Issues {
  const given: string[] = [];
  if (device.nodeName === "") yield at.child("nodeName").invalid("", "must not be empty");
  else if (device.nodeName !== undefined) {
    given.push("`nodeName`");
    yield* dns1123Subdomain(at.child("nodeName"), device.nodeName);
  }
  if (device.nodeSelector !== undefined) {
    given.push("`nodeSelector`");
    yield* nodeSelector(at.child("nodeSelector"), device.nodeSelector);
  }
  if (device.allNodes === true) given.push("`allNodes`");
  else if (device.allNodes === false) {
    yield at.child("allNodes").invalid(false, "must be either unset or set to true");
  }
  if (given.length === 0) yield at.required(onePlace);
  else if (given.length > 1) yield at.invalid(`{${given.join(", ")}}`, onePlace);
}

function* placelessRules(at: Path, { nodeName, nodeSelector: selector, allNodes }: Device): Issues {
  if (nodeName === undefined && selector === undefined && allNodes === undefined) return;
  const why =
    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  yield at.invalid(undefined, why);
}
