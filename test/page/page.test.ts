import { mkdirSync } from "node:fs";
import type { Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ConfigMap, Deployment } from "../../src/api/index.js";
import { TerminalError } from "../../src/controller/index.js";
import { Manager } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/index.js";
import { repository } from "../source-files.js";
import { accessibilityFaults, shown } from "./browser.js";
import { type ControlPlane, startControlPlane } from "./control-plane.js";
import { deployment } from "./deployment.js";
import { describeInBrowser } from "./rig.js";

const views = [
  "flow",
  "flow?find=nothing",
  "queues",
  "why",
  "cluster",
  "cluster?tab=objects",
  "cluster?tab=events",
  "numbers",
];

/** Where `npm run screenshots` wants the pictures; undefined in other runs. */
const pictures = process.env["COXSWAIN_SCREENSHOTS"] === "1" ? `${repository}docs/images/` : undefined;

async function picture(tab: Tab, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await tab.screenshot({ path: `${pictures}${name}.png` });
}

/** The texts that stand in a column too narrow for them: more than two lines, of a few letters each. */
function squeezed(tab: Tab): Promise<readonly string[]> {
  return tab.evaluate(`(() => {
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size;
      const text = walker.currentNode.data.trim();
      if (lines > 2 && text.length / lines < 8) found.push(text);
    }
    return found;
  })()`);
}

describeInBrowser("the page", ({ look }) => {
  describe("of coxswain up", () => {
    let plane: ControlPlane;

    beforeAll(async () => {
      plane = await startControlPlane();
    });

    afterAll(() => plane[Symbol.asyncDispose]());

    test("a Deployment that is created, scaled, broken and healed moves each station", async () => {
      const tab = await look(plane.pageUrl, { width: 1160, height: 650 });
      const deployments = plane.client.resource(Deployment, { namespace: "default" });
      await shown(tab, '[data-lane="apps/v1/deployments"] .phase', "watching");
      await deployments.create(deployment("web", 3));
      await shown(tab, '[data-lane="apps/v1/deployments"] .indexer b', "1");
      await shown(tab, '[data-lane="v1/pods"] .indexer b', "3");
      await shown(tab, ".recent li", "default/web");
      await picture(tab, "flow-dark");

      await deployments.patch("web", { merge: { spec: { replicas: 5 } } });
      await shown(tab, '[data-lane="v1/pods"] .indexer b', "5");

      await tab.goto(`${plane.pageUrl}#/cluster`);
      await expect.poll(() => tab.locator(".node .pod.good").count()).toBe(5);
      await deployments.create(deployment("huge", 2, "9999"));
      await expect.poll(() => tab.locator('[aria-label="pods without a node"] .pod.bad').count()).toBe(2);
      await picture(tab, "cluster-dark");
      await deployments.delete("huge");
      await tab.locator('[aria-label="pods without a node"]').waitFor({ state: "detached" });

      await tab.goto(`${plane.pageUrl}#/why?kind=Deployment&name=web`);
      await shown(tab, ".subject .state", "5/5 ready");
      await expect.poll(() => tab.locator(".branch .branch .branch a").count()).toBe(5);
      await shown(tab, ".story-list", "ScalingReplicaSet");
      await shown(tab, ".chain-names", "replicaset");
      await shown(tab, ".yaml-line .manager", /./);
      await tab.locator(".dot").first().click();
      await shown(tab, ".run-details", /deployment #\d+ reconciled default\/web/);
    });

    test.each(["dark", "light"] as const)("every view is accessible, also at 400 pixels, %s", async (scheme) => {
      const tab = await look(plane.pageUrl, { scheme });
      for (const width of [1280, 400]) {
        await tab.setViewportSize({ width, height: 800 });
        for (const view of [...views, "why?kind=Deployment&name=web"]) {
          await tab.goto(`${plane.pageUrl}#/${view}`);
          await tab.locator("main > h1 + :not(.loading)").first().waitFor();
          expect([scheme, width, view, await accessibilityFaults(tab)]).toEqual([scheme, width, view, []]);
          const overflow: unknown = await tab.evaluate("document.documentElement.scrollWidth - innerWidth");
          expect([view, width, Number(overflow) <= 0]).toEqual([view, width, true]);
          expect([view, width, await squeezed(tab)]).toEqual([view, width, []]);
        }
      }
    });

    test("the first view takes at most 120 KB of the network, and each file is compressed", async () => {
      const tab = await look(plane.pageUrl);
      await shown(tab, ".connection", "live");
      const loaded: unknown = await tab.evaluate(`
        [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
          .filter(({ name }) => !/\\/page\\/(?!assets\\/)/.test(name))
          .map(({ name, encodedBodySize, decodedBodySize }) => ({ name, sent: encodedBodySize, whole: decodedBodySize }))
      `);
      const files = loaded as readonly { readonly name: string; readonly sent: number; readonly whole: number }[];
      expect(files.length).toBeGreaterThan(3);
      expect(files.filter(({ sent, whole }) => whole > 1_000 && sent >= whole)).toEqual([]);
      expect(files.reduce((sum, { sent }) => sum + sent, 0)).toBeLessThan(120_000);
    });

    test("views are chosen by keys, and an object by its name", async () => {
      const tab = await look(plane.pageUrl);
      await shown(tab, ".connection", "live");
      await tab.keyboard.press("?");
      await shown(tab, ".help", "reflector");
      await tab.keyboard.press("2");
      await shown(tab, "main.queues", /./);
      await shown(tab, ".help", "given up");
      await tab.keyboard.press("?");
      await tab.locator(".help").waitFor({ state: "detached" });
      await tab.keyboard.press("/");
      await tab.keyboard.type("deploy/web");
      await tab.keyboard.press("Enter");
      await shown(tab, ".subject h2", "default/web");
      expect(new URL(tab.url()).hash).toBe("#/why?kind=deploy&name=web");
    });

    test.runIf(pictures !== undefined)("light pictures", async () => {
      const tab = await look(plane.pageUrl, { scheme: "light", width: 1160, height: 650 });
      await shown(tab, '[data-lane="v1/pods"] .indexer b', "5");
      await picture(tab, "flow-light");
      await tab.goto(`${plane.pageUrl}#/why?kind=Deployment&name=web`);
      await shown(tab, ".subject .state", "5/5 ready");
      await picture(tab, "why-light");
    });
  });

  test("the causes of a key that always fails, one that was given up, and a hot loop are found by the page alone", async () => {
    const cluster = await startCluster();
    onTestFinished(() => cluster[Symbol.asyncDispose]());
    const { client } = cluster;
    const maps = client.resource(ConfigMap, { namespace: "default" });
    const manager = new Manager({ client, http: { host: "127.0.0.1", port: 0 } });
    manager.controller({
      name: "failing",
      for: ConfigMap,
      async reconcile({ object }) {
        if (object.metadata.name === "hopeless") throw new TerminalError("the plan is not valid");
        if (object.metadata.name === "unlucky") throw new Error("the vault is sealed");
      },
    });
    manager.controller({
      name: "restless",
      for: ConfigMap,
      async reconcile({ object, client: writes }) {
        if (object.metadata.name !== "spinning") return;
        const { name, namespace } = object.metadata;
        const turns = String(Number(object.data?.["turns"] ?? 0) + 1);
        await writes.apply({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name, namespace: namespace ?? "" },
          data: { turns },
        });
      },
    });
    const running = manager.start();
    onTestFinished(() => running.close());
    await expect.poll(() => manager.url).toBeDefined();
    for (const name of ["hopeless", "unlucky", "spinning"]) await maps.create({ metadata: { name } });
    const address = `${manager.url}/#/queues?controller=failing&state=failing`;
    const tab = await look(address, { width: 1160, height: 420 });
    await shown(tab, ".key-row.failing", "the vault is sealed");
    await shown(tab, ".key-row.failing .when", /in \d|due/);
    await tab.goto(`${manager.url}/#/queues?controller=failing&state=dead`);
    await shown(tab, ".key-row.dead", "the plan is not valid");
    await tab.goto(`${manager.url}/#/queues?controller=restless&state=slowed`);
    await shown(tab, ".key-row.slowed", "its own writes wake it");
    await shown(tab, ".key-row.slowed", "data.turns");
    await picture(tab, "queues-dark");
    await tab.goto(`${manager.url}/`);
    await shown(tab, '[data-controller="failing"] .trouble', "given up");
  });
});
