/** Compiles the selectors of devices, and remembers what each said of a device: takes expressions, gives tests. */
import type { Device, DeviceClass, ResourceClaim, ResourceSlice } from "../../api/index.js";
import type { Steps } from "../../base/index.js";
import type { DeviceTest } from "./requests.js";

/** The number of compiled selectors that are kept. */
const mostSelectors = 256;

interface Verdict {
  readonly driver: string;
  /** The error if the selector cannot be evaluated for the device. */
  readonly says: boolean | { readonly error: unknown };
}

/**
 * Invariant: a cached device never changes, so that a selector is evaluated once for each device. A single evaluation
 * within the limit of costs may take tens of milliseconds.
 */
export class Selectors {
  readonly #compile: (expression: string) => DeviceTest;
  readonly #tests = new Map<string, DeviceTest>();

  /** `compile` throws if the expression is wrong. */
  constructor(compile: (expression: string) => DeviceTest) {
    this.#compile = compile;
  }

  /** Throws if the expression is wrong. */
  test(expression: string): DeviceTest {
    const known = this.#tests.get(expression);
    if (known !== undefined) return known;
    const remembering = remembered(this.#compile(expression));
    if (this.#tests.size >= mostSelectors) this.#tests.clear();
    this.#tests.set(expression, remembering);
    return remembering;
  }

  /** Judges the devices by the selectors of a claim and of the classes that it names, with pauses in between. */
  *judge(
    claim: ResourceClaim,
    slices: readonly ResourceSlice[],
    deviceClass: (name: string) => DeviceClass | undefined,
  ): Steps<void> {
    for (const { exactly, firstAvailable = [] } of claim.spec.devices?.requests ?? []) {
      for (const { deviceClassName, selectors = [] } of exactly === undefined ? firstAvailable : [exactly]) {
        const all = [...(deviceClass(deviceClassName)?.spec.selectors ?? []), ...selectors];
        if (all.length === 0) continue;
        for (const { spec } of slices) {
          for (const device of spec.devices ?? []) {
            this.#matches(all, spec.driver, device);
            yield;
          }
        }
      }
    }
  }

  #matches(selectors: Required<DeviceClass["spec"]>["selectors"], driver: string, device: Device): void {
    try {
      selectors.every(({ cel }) => this.test(cel?.expression ?? "")(driver, device));
    } catch {
      // the allocation meets the same error, if it comes to this device, and reports it
    }
  }
}

function remembered(test: DeviceTest): DeviceTest {
  const verdicts = new WeakMap<Device, Verdict>();
  const judged = (driver: string, device: Device): Verdict => {
    try {
      return { driver, says: test(driver, device) };
    } catch (error) {
      return { driver, says: { error } };
    }
  };
  return (driver, device) => {
    const before = verdicts.get(device);
    const verdict = before?.driver === driver ? before : judged(driver, device);
    if (verdict !== before) verdicts.set(device, verdict);
    if (typeof verdict.says === "boolean") return verdict.says;
    throw verdict.says.error;
  };
}
