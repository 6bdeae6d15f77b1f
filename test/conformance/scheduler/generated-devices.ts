/** Sets of nodes, devices and claims by seed, for the comparison of schedulers. */
import type { DeviceRequest, ExactDeviceRequest } from "../../../src/api/index.js";
import { type Random, seededRandom } from "../../../src/base/index.js";
import { all, node, pod, type Scenario, scenario } from "./scenario.js";
import { driver, devices, device, deviceClass, cel, deviceClaim, withClaims, noSchedule } from "./device-words.js";

/** Nodes with random devices, and pods with random claims, one after the other. */
export function generatedDevices(seed: number): Scenario {
  const random: Random = seededRandom(seed);
  const pick = <T>(...items: readonly T[]): T => items[random.int(items.length)] as T;
  const nodes = Array.from({ length: 1 + random.int(3) }, (_, i) => `n${i + 1}`);
  // a node is so much larger than the next that it scores higher however full it is: scores are whole numbers, and
  // chance decides between equal ones
  const setUp = nodes.flatMap((name, i) => [
    node(name, { has: { cpu: String(256 / 8 ** i), memory: `${256 / 8 ** i}Gi`, pods: "30" } }),
    devices(
      name,
      ...Array.from({ length: random.int(4) }, (_, n) =>
        device(
          `d${n}`,
          { kind: pick("big", "small"), numa: random.int(2) },
          random.int(5) === 0 ? { taints: [noSchedule] } : {},
        ),
      ),
    ),
  ]);
  const requestOf = (name: string): DeviceRequest => {
    const exactly = (): ExactDeviceRequest => ({
      deviceClassName: "gpu",
      ...pick<Partial<ExactDeviceRequest>>({}, {}, { count: 2 }, { allocationMode: "All" }),
      ...pick<Partial<ExactDeviceRequest>>(
        {},
        { selectors: cel(`device.attributes["${driver}"].kind == "${pick("big", "small")}"`) },
      ),
      ...pick<Partial<ExactDeviceRequest>>({}, {}, { tolerations: [{ key: "broken", operator: "Exists" }] }),
    });
    if (random.int(4) > 0) return { name, exactly: exactly() };
    return { name, firstAvailable: ["x", "y"].map((one) => ({ name: one, ...exactly() })) };
  };
  const claims = Array.from({ length: 3 + random.int(4) }, (_, i) => {
    const requests = Array.from({ length: 1 + random.int(2) }, (_unused, n) => requestOf(`r${n}`));
    const constraints = random.int(3) === 0 ? [{ matchAttribute: `${driver}/numa` }] : [];
    return deviceClaim(`c${i}`, { requests, constraints });
  });
  const pods = claims.map((_, i) =>
    pod(`p${i}`, {
      asks: { cpu: "1", memory: "1Gi" },
      spec: withClaims(`c${i}`, ...(random.int(4) === 0 && i > 0 ? [`c${i - 1}`] : [])),
    }),
  );
  return scenario(`devices by seed ${seed}`, all(deviceClass("gpu"), ...setUp), all(...claims), ...pods);
}
