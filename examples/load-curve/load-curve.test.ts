/** A virtual day of load: the autoscaler follows the curve, and never leaves its limits. */
import { expect, test } from "vitest";
import { playDay, plotOf } from "./day.js";

test("the replicas follow the load over a day", { timeout: 600_000 }, async () => {
  const load = "total 0s=500m,6h=500m,12h=5,18h=500m every 24h";
  const moments = await playDay({ load, everyMinutes: 60, syncSeconds: 120 });
  expect(moments).toHaveLength(24);
  const at = (hour: number) => moments.find((moment) => moment.hour === hour)?.replicas ?? 0;
  // half a core is two replicas' worth, five cores are twenty
  expect([at(3), at(12), at(24)]).toEqual([2, 20, 2]);
  expect(at(9)).toBeGreaterThan(8);
  expect(at(15)).toBeGreaterThan(8);
  for (const { replicas, utilization } of moments) {
    expect(replicas).toBeGreaterThanOrEqual(2);
    expect(replicas).toBeLessThanOrEqual(24);
    expect(utilization).toBeLessThan(70);
  }
  expect(plotOf(moments).at(11)).toMatch(/^12:00 +\d+% █{20} 20$/);
});
