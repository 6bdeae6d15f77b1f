/** Takes the selector of a device as text; gives a test of devices, in the words of kube-scheduler where it fails. */
import type { Device, DeviceAttribute } from "../../../api/index.js";
import { evaluate } from "../compile.js";
import { quantityValue } from "../kubernetes/quantities.js";
import { semverValue } from "../kubernetes/semver.js";
import { CelMap, EntryMap, type Value } from "../values/value.js";
import { deviceProgram, maxSelectorCost } from "./check.js";

/** Throws if the expression cannot be evaluated for the device. */
export type DeviceTest = (driver: string, device: Device) => boolean;

/** Compiles a selector of devices. Throws if the expression is wrong. */
export function deviceSelector(expression: string): DeviceTest {
  const program = deviceProgram(expression);
  if (typeof program === "string") throw new Error(`CEL compile error: ${program}`);
  return (driver, device) => {
    const value = deviceValue(driver, device);
    const result = evaluate(program, (name) => (name === "device" ? value : null), maxSelectorCost);
    const failed = (why: string): Error => new Error(`CEL runtime error: ${why}`);
    if (result.type === "too costly") throw failed("operation cancelled: actual cost limit exceeded");
    if (result.type === "error") throw failed(result.message);
    if (typeof result.value !== "boolean") throw failed("the result could not be converted to bool");
    return result.value;
  };
}

function deviceValue(driver: string, { attributes = {}, capacity = {}, allowMultipleAllocations }: Device): Value {
  const value = new EntryMap();
  value.set("driver", driver);
  value.set("allowMultipleAllocations", allowMultipleAllocations ?? false);
  value.set("attributes", byDomain(driver, attributes, attributeValue));
  value.set(
    "capacity",
    byDomain(driver, capacity, ({ value: amount }) => quantityValue(amount)),
  );
  return value;
}

/** A name without a domain is in the driver's. */
function byDomain<T>(driver: string, named: Readonly<Record<string, T>>, valueOf: (item: T, name: string) => Value) {
  const domains = new Domains();
  for (const [name, item] of Object.entries(named)) {
    const slash = name.indexOf("/");
    const domain = slash < 0 ? driver : name.slice(0, slash);
    domains.domain(domain).set(slash < 0 ? name : name.slice(slash + 1), valueOf(item, name));
  }
  return domains;
}

/** A domain that the device lacks is an empty map, so that `in` and `has` work on it. */
class Domains extends CelMap {
  readonly #domains = new Map<string, EntryMap>();

  get size(): number {
    return this.#domains.size;
  }

  get(key: Value): Value | undefined {
    return typeof key === "string" ? (this.#domains.get(key) ?? new EntryMap()) : undefined;
  }

  keys(): readonly Value[] {
    return [...this.#domains.keys()];
  }

  /** Called only while the map is being made. */
  domain(name: string): EntryMap {
    const known = this.#domains.get(name) ?? new EntryMap();
    this.#domains.set(name, known);
    return known;
  }
}

function attributeValue({ int, bool, string, version }: DeviceAttribute, name: string): Value {
  if (int !== undefined) return BigInt(int);
  if (bool !== undefined) return bool;
  if (string !== undefined) return string;
  if (version === undefined) throw new Error(`CEL runtime error: attribute ${name}: unsupported attribute value`);
  const value = semverValue(version);
  if (typeof value === "string") {
    throw new Error(`CEL runtime error: attribute ${name}: parse semantic version: ${value}`);
  }
  return value;
}
