/** The views at work in a browser: plots that are zoomed, causes that are walked, widths, colours, and a long past. */
import type { Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ConfigMap, Deployment } from "../../src/api/index.js";
import { systemClock } from "../../src/base/index.js";
import { Journal, type JournalEntry, KeyLoop } from "../../src/controller/index.js";
import { shown } from "./browser.js";
import { type ControlPlane, startControlPlane } from "./control-plane.js";
import { deployment } from "./deployment.js";
import { describeInBrowser, servePage } from "./rig.js";

const views = ["flow", "queues", "why", "cluster", "cluster?tab=objects", "cluster?tab=events", "numbers"];

describeInBrowser("the views", ({ look }) => {
  describe("of coxswain up", () => {
    let plane: ControlPlane;

    beforeAll(async () => {
      plane = await startControlPlane();
      await plane.client.resource(Deployment, { namespace: "default" }).create(deployment("web", 3));
    });

    afterAll(() => plane[Symbol.asyncDispose]());

    test("a plot is zoomed by dragging and by keys, stays so while numbers come, and shows everything again", async () => {
      const tab = await look(`${plane.pageUrl}#/numbers`);
      const plot = tab.getByRole("region", { name: "Memory" });
      await shown(tab, '.plot[aria-label="Memory"]', "resident");
      const title = plot.locator("h2");
      const canvas = plot.getByRole("group");
      // a zoom needs some seconds between which it can choose
      await expect.poll(() => readings(tab)).toBeGreaterThan(4);
      await canvas.scrollIntoViewIfNeeded();
      const box = await plot.locator(".u-over").boundingBox();
      if (box === null) throw new Error("the plot is not drawn");
      const y = box.y + box.height / 2;
      await tab.mouse.move(box.x + box.width * 0.3, y);
      await tab.mouse.down();
      await tab.mouse.move(box.x + box.width * 0.6, y, { steps: 5 });
      await tab.mouse.up();
      await expect.poll(() => title.textContent()).toContain("zoomed");
      const [before, seen] = [await readings(tab), await axis(plot)];
      await expect.poll(() => readings(tab)).toBeGreaterThan(before + 1);
      expect(await axis(plot)).toEqual(seen);
      await plot.locator(".u-over").dblclick();
      await expect.poll(() => title.textContent()).toContain("of the process");
      await canvas.focus();
      await tab.keyboard.press("+");
      await expect.poll(() => title.textContent()).toContain("zoomed");
      await tab.keyboard.press("ArrowLeft");
      await tab.keyboard.press("0");
      await expect.poll(() => title.textContent()).toContain("of the process");
      // the key is the plot's: it has not chosen a view
      await shown(tab, "main.numbers", /./);
    });

    test("the chosen one of a long list is in sight, also on a narrow screen", async () => {
      const tab = await look(`${plane.pageUrl}#/queues?controller=garbage_collector`, { width: 400 });
      for (const view of ["queues?controller=pod_gc", "cluster?tab=objects&resource=v1/serviceaccounts"]) {
        await tab.goto(`${plane.pageUrl}#/${view}`);
        const isInSight = (): Promise<unknown> =>
          tab.evaluate(`(() => {
            const [box, link] = [".side", ".side [aria-current]"].map((one) => document.querySelector(one)?.getBoundingClientRect());
            return link !== undefined && link.top >= box.top && link.bottom <= box.bottom;
          })()`);
        await expect.poll(isInSight).toBe(true);
      }
    });

    test("of a large object the first lines are shown, and more of them on demand", async () => {
      const maps = plane.client.resource(ConfigMap, { namespace: "default" });
      const keys = Object.fromEntries(Array.from({ length: 4_500 }, (_, i) => [`key-${i}`, ""]));
      await maps.create({ metadata: { name: "large" }, data: { "a-long-one": "x".repeat(100_000), ...keys } });
      const tab = await look(`${plane.pageUrl}#/why?kind=ConfigMap&name=large`);
      await shown(tab, ".yaml .note", /2000 of 45\d\d lines/);
      expect(await tab.locator(".yaml-line").count()).toBe(2_000);
      await shown(tab, ".yaml-line", /a-long-one: x{5000}… and 95000 characters more/);
      await tab.locator(".yaml .note button").click();
      await tab.locator(".yaml .note button").click();
      await tab.locator(".yaml .note").waitFor({ state: "detached" });
      await maps.delete("large");
    });

    test("causes are walked back to their beginning, and effects forth again", async () => {
      const tab = await look(`${plane.pageUrl}#/why?kind=Deployment&name=web`);
      await shown(tab, ".subject .state", "3/3 ready");
      const details = tab.locator(".run-details");
      const back = details.locator(".step button").filter({ hasText: "←" });
      const forth = details.locator(".step button").filter({ hasText: "→" });
      const idOf = async (): Promise<string> =>
        ((await details.locator("p").first().textContent()) ?? "").replace(/ reconciled.*/s, "").replaceAll(" ", "");
      const walked: string[] = [];
      // by the keyboard: the first dot is the run that answered the creation: nothing of this process woke it
      await tab.locator(".chain .dot").first().press("Enter");
      const first = await idOf();
      await shown(tab, ".run-details", "written elsewhere");
      for (let step = 0; step < 3 && (await forth.count()) > 0; step++) {
        walked.push(await idOf());
        const target = ((await forth.first().textContent()) ?? "").replace(/^→\s*/, "").trim();
        await forth.first().click();
        await expect.poll(idOf).toBe(target);
      }
      expect(walked.length).toBeGreaterThan(0);
      for (const id of walked.toReversed()) {
        await back
          .filter({ hasText: new RegExp(`${id}(?!\\d)`) })
          .first()
          .click();
        await expect.poll(idOf).toBe(id);
      }
      expect(await idOf()).toBe(first);
    });

    test.each([
      ["400 px", { width: 400, height: 800 }],
      ["a projector", { width: 1024, height: 768 }],
      ["a large screen", { width: 1920, height: 1080 }],
    ] as const)("no view is wider than %s, and each says something", async (_, size) => {
      const tab = await look(plane.pageUrl, size);
      for (const view of [...views, "why?kind=Deployment&name=web"]) {
        await tab.goto(`${plane.pageUrl}#/${view}`);
        await shown(tab, "main", /\w/);
        await tab.locator("main .loading").waitFor({ state: "detached" });
        const wider: unknown = await tab.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect([view, wider]).toEqual([view, 0]);
      }
    });

    test("the colours of states are told apart by colour-blind people, in both themes", async () => {
      for (const scheme of ["dark", "light"] as const) {
        const tab = await look(plane.pageUrl, { scheme });
        await shown(tab, ".connection", /live|connecting/);
        const tones: unknown = await tab.evaluate(`["good", "busy", "bad"].map((tone) => {
          const probe = document.body.appendChild(document.createElement("i"));
          probe.style.color = "var(--" + tone + ")";
          const numbers = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
          probe.remove();
          return numbers;
        })`);
        const [good, busy, bad] = tones as readonly [Rgb, Rgb, Rgb];
        for (const [blindness, matrix] of Object.entries(blind)) {
          const seen = [good, busy, bad].map((colour) => labOf(seenBy(matrix, colour)));
          const apart = [distance(seen[0], seen[1]), distance(seen[0], seen[2])];
          // amber and orange are near each other for some, so their signs have other shapes: half a disc and a triangle
          expect([scheme, blindness, Math.min(...apart) > 12]).toEqual([scheme, blindness, true]);
        }
        await tab.goto(`${plane.pageUrl}#/cluster`);
        await tab.locator(".legend-list .pod.bad").waitFor();
        const shapes: unknown = await tab.evaluate(
          `["good", "busy", "bad"].map((tone) => {
            const { clipPath, backgroundImage } = getComputedStyle(document.querySelector(".legend-list .pod." + tone));
            return clipPath + backgroundImage.replace(/rgba?\\([^)]*\\)/g, "");
          })`,
        );
        expect(new Set(shapes as readonly string[]).size).toBe(3);
      }
    });
  });

  test("the slider goes through a long past, and the page shows each moment of it", async () => {
    const journal = new Journal();
    const now = systemClock.now();
    for (let i = 0; i < 2_000; i++) journal.add(written(i, now - 200_000 + i * 90));
    const host = { journal };
    const loop = new KeyLoop({ name: "maps", kind: "ConfigMap", workers: 1, host, sync: async () => {} });
    onTestFinished(() => loop.close());
    const served = await servePage({ loops: () => [loop], journal: () => journal });
    onTestFinished(() => served.close());
    const tab = await look(served.url);
    const slider = tab.getByRole("slider", { name: "the moment that the page shows" });
    await expect.poll(() => slider.isEnabled()).toBe(true);
    expect(Number(await slider.getAttribute("max"))).toBeLessThan(1_000);
    await slider.focus();
    await tab.keyboard.press("Home");
    await shown(tab, ".time-bar.past output", "ago");
    await shown(tab, ".recent li", "default/m-0");
    for (let i = 0; i < 5; i++) await tab.keyboard.press("PageUp");
    const far = new URL(tab.url()).hash;
    await expect.poll(() => tab.locator(".recent li").first().textContent()).not.toContain("default/m-0 ");
    await tab.keyboard.press("ArrowRight");
    await expect.poll(() => new URL(tab.url()).hash).not.toBe(far);
    await tab.keyboard.press("End");
    await shown(tab, ".time-bar output", "now");
  });
});

/** The number of times that the plots have been given new numbers. */
function readings(tab: Tab): Promise<number> {
  return tab.evaluate(
    "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/page/numbers')).length",
  );
}

/** The part of the time that a plot shows: the picture of its selection is the canvas itself, so its legend is asked at both ends. */
async function axis(plot: ReturnType<Tab["getByRole"]>): Promise<readonly string[]> {
  const over = plot.locator(".u-over");
  const box = await over.boundingBox();
  const texts: string[] = [];
  for (const x of [1, (box?.width ?? 2) - 1]) {
    await over.hover({ position: { x, y: 5 } });
    texts.push((await plot.locator(".u-legend .u-value").first().textContent()) ?? "");
  }
  return texts;
}

const written = (i: number, at: number): JournalEntry => ({
  run: i,
  controller: "maps",
  key: `default/m-${i}`,
  startedAt: at,
  durationMs: 1,
  waitedMs: 1,
  reasons: [{ type: "updated", kind: "ConfigMap", key: `default/m-${i}`, revision: String(1_000 + i) }],
  omittedReasons: 0,
  reads: [],
  writes: [
    {
      verb: "update",
      kind: "ConfigMap",
      key: `default/m-${i}`,
      fields: ["data.a"],
      revision: String(10_000 + i),
      outcome: "done",
      at,
    },
  ],
  omitted: 0,
  result: { type: "done" },
});

type Rgb = readonly [number, number, number];
type Matrix = readonly [Rgb, Rgb, Rgb];

/** The linear colours that people without one kind of cone see, by Viénot, Brettel and Mollon (1999), and for blue by Brettel (1997). */
const blind: Readonly<Record<string, Matrix>> = {
  protanopia: [
    [0.1124, 0.8876, 0],
    [0.1124, 0.8876, 0],
    [0.004, -0.004, 1],
  ],
  deuteranopia: [
    [0.2928, 0.7072, 0],
    [0.2928, 0.7072, 0],
    [-0.0223, 0.0223, 1],
  ],
  tritanopia: [
    [1.0118, 0.1354, -0.1471],
    [-0.0108, 0.8684, 0.1424],
    [0.0775, 0.8122, 0.1103],
  ],
};

const linear = (part: number): number => (part <= 10.31 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);

const times = (matrix: Matrix, [r, g, b]: Rgb): Rgb => {
  const row = ([x, y, z]: Rgb): number => Math.max(0, x * r + y * g + z * b);
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
};

const seenBy = (matrix: Matrix, [r, g, b]: Rgb): Rgb => times(matrix, [linear(r), linear(g), linear(b)]);

/** From linear sRGB to CIE Lab. */
function labOf(colour: Rgb): Rgb {
  const [x, y, z] = times(
    [
      [0.4124, 0.3576, 0.1805],
      [0.2126, 0.7152, 0.0722],
      [0.0193, 0.1192, 0.9505],
    ],
    colour,
  );
  const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const [fx, fy, fz] = [f(x / 0.9505), f(y), f(z / 1.089)];
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

const distance = (a: Rgb | undefined, b: Rgb | undefined): number =>
  Math.hypot(...[0, 1, 2].map((i) => (a?.[i] ?? 0) - (b?.[i] ?? 0)));
