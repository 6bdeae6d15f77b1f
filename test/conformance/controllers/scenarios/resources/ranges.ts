/** Scenarios of ranges for services' addresses. */
import { Service, ServiceCIDR } from "../../../../../src/api/index.js";
import type { Scenario, Stage } from "../../scenario.js";

const isReady = (cidr: ServiceCIDR | undefined): boolean =>
  cidr?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;

/** A server takes a moment to use a range that is ready. */
async function createAt(stage: Stage, name: string, clusterIP: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await stage.create(Service, { metadata: { name }, spec: { clusterIP, ports: [{ port: 80 }] } });
      return;
    } catch (error) {
      if (attempt === 60) throw error;
      await stage.pause(500);
    }
  }
}

export const ranges: readonly Scenario[] = [
  {
    name: "service-ranges",
    clusterKinds: ["ServiceCIDR", "IPAddress"],
    async run(stage) {
      const [name, wider] = ["service-ranges", "service-ranges-wider"];
      await stage.create(ServiceCIDR, { metadata: { name }, spec: { cidrs: ["192.168.77.0/28"] } });
      await stage.until(ServiceCIDR, name, isReady);
      await createAt(stage, "web", "192.168.77.5");
      await stage.checkpoint("used");
      await stage.of(ServiceCIDR).delete(name);
      await stage.until(ServiceCIDR, name, (cidr) => !isReady(cidr));
      await stage.checkpoint("kept");
      // a range around it takes over its addresses
      await stage.create(ServiceCIDR, { metadata: { name: wider }, spec: { cidrs: ["192.168.77.0/24"] } });
      await stage.gone(ServiceCIDR, name);
      await stage.checkpoint("replaced");
      await stage.of(ServiceCIDR).delete(wider);
      await stage.until(ServiceCIDR, wider, (cidr) => !isReady(cidr));
      await stage.of(Service).delete("web");
      await stage.gone(ServiceCIDR, wider);
    },
  },
];
