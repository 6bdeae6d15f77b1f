/** A queue of 100,000 keys in a browser. */
import { expect, onTestFinished, test } from "vitest";
import { Journal, KeyLoop } from "../../src/controller/index.js";
import { shown } from "./browser.js";
import { describeInBrowser, servePage } from "./rig.js";
import { scrollThrough } from "./scroll.js";
import { workOf, workText } from "./work.js";

describeInBrowser("of 100,000 keys", ({ browser, look }) => {
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
    const frames = 120;
    const found = { mostRows: 0, mostAdded: 0 };
    const work = await workOf(browser(), tab, async () => {
      Object.assign(found, await scrollThrough(tab, frames));
    });
    process.stdout.write(`scrolling through 100,000 keys: ${workText(work, frames)}\n`);
    expect(found.mostRows).toBeLessThan(60);
    expect(found.mostAdded).toBeLessThan(60);
    // each frame is laid out once or twice: no script asks for a layout between two changes of its own
    expect(work.layouts).toBeGreaterThan(0);
    expect(work.layouts).toBeLessThan(frames * 3);
    await shown(tab, ".key-row", /default\/pod-\d{4}/);
  });
});
