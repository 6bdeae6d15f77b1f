/** A queue of 100,000 keys in a browser. */
import { expect, onTestFinished, test } from "vitest";
import { Journal, KeyLoop } from "../../src/controller/index.js";
import { shown } from "./browser.js";
import { describeInBrowser, servePage } from "./rig.js";
import { scrollThrough } from "./scroll.js";

function framesText(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1);
  return `a frame takes ${at(0.5)} ms (median), ${at(0.95)} ms (95 of 100), ${at(1)} ms (longest)`;
}

describeInBrowser("of 100,000 keys", ({ look }) => {
  async function served(): Promise<string> {
    const loop = new KeyLoop({
      name: "pods",
      kind: "Pod",
      workers: 1,
      host: { journal: new Journal() },
      sync: async () => {},
    });
    for (let i = 0; i < 100_000; i++) loop.add(`default/pod-${i}`);
    onTestFinished(() => loop.close());
    const page = await servePage({ loops: () => [loop] });
    onTestFinished(() => page.close());
    return `${page.url}#/queues?controller=pods&state=ready`;
  }

  test("one is found, and only the visible rows exist", async () => {
    const tab = await look(await served());
    await shown(tab, ".key-row", "default/pod-0");
    await tab.locator(".virtual").press("End");
    await shown(tab, ".key-row", "default/pod-99999");
    expect(await tab.locator(".key-row").count()).toBeLessThan(100);
    await tab.locator(".keys .find").fill("pod-99998");
    await shown(tab, ".key-row", "default/pod-99998");
    expect(await tab.locator(".key-row").count()).toBe(1);
    expect(new URL(tab.url()).hash).toContain("text=pod-99998");
  });

  test("a screen is scrolled in each frame, and a frame draws no more rows than a screen and its margins", async () => {
    const tab = await look(await served());
    await shown(tab, ".key-row", "default/pod-0");
    const { mostRows, mostAdded, times } = await scrollThrough(tab, 120);
    expect(times).toHaveLength(120);
    // for people: how long a frame takes depends on the machine, so no test asks for it
    process.stdout.write(`scrolling through 100,000 keys: ${framesText(times)}\n`);
    expect(mostRows).toBeLessThan(60);
    expect(mostAdded).toBeLessThan(60);
    await shown(tab, ".key-row", /default\/pod-\d{4}/);
  });
});
