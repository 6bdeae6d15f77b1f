/** The slider moves every view of the page, and recordings open in the place of the process. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConfigMap, Deployment } from "../../src/api/index.js";
import { systemClock } from "../../src/base/index.js";
import { Manager } from "../../src/manager/index.js";
import { simulate } from "../../src/testing/index.js";
import { accessibilityFaults, shown } from "./browser.js";
import { type ControlPlane, startControlPlane } from "./control-plane.js";
import { deployment } from "./deployment.js";
import { describeInBrowser, type Rig } from "./rig.js";

describeInBrowser("the time that the page shows", ({ look }) => {
  describe("of coxswain up", () => {
    let plane: ControlPlane;

    beforeAll(async () => {
      plane = await startControlPlane();
    });

    afterAll(() => plane[Symbol.asyncDispose]());

    test("is one moment for all views, also for a page that was not open then", async () => {
      const tab = await look(plane.pageUrl);
      const deployments = plane.client.resource(Deployment, { namespace: "default" });
      const pods = '[data-lane="v1/pods"] .indexer b';
      await deployments.create(deployment("web", 2));
      await shown(tab, pods, /^2$/);
      await tab.goto(`${plane.pageUrl}#/why?kind=Deployment&name=web`);
      await shown(tab, ".subject .state", "2/2 ready");
      // a second that the page has seen with two pods
      let at = "";
      await expect
        .poll(async () => {
          const { metadata } = await deployments.get("web");
          at = `${systemClock.now()}-${metadata.resourceVersion ?? ""}`;
          await tab.goto(`${plane.pageUrl}#/flow?at=${at}`);
          return tab
            .locator(pods)
            .textContent({ timeout: 1_000 })
            .catch(() => "");
        })
        .toBe("2");
      await tab.goto(`${plane.pageUrl}#/flow`);
      await deployments.patch("web", { merge: { spec: { replicas: 4 } } });
      await shown(tab, pods, /^4$/);
      const late = await look(`${plane.pageUrl}#/flow?at=${at}`);
      await shown(late, ".notices", "This page was not open then");
      await shown(late, ".recent li", "default/web");
      for (const one of [tab, late]) {
        await one.goto(`${plane.pageUrl}#/flow?at=${at}`);
        await shown(one, ".time-bar output", "ago");
        if (one === tab) await shown(one, pods, /^2$/);
        await one.locator(".bar nav a").filter({ hasText: "Cluster" }).click();
        await expect.poll(() => one.locator(".node .pod").count()).toBe(2);
        await shown(one, ".rollout", "2/2 ready");
        await one.locator(".tabs a").filter({ hasText: "objects" }).click();
        await shown(one, ".table-row", /web\s*2\/2/);
        await one.locator(".table-row a").filter({ hasText: "web" }).click();
        await shown(one, ".subject", "as it was at revision");
        await expect.poll(() => one.locator(".branch .branch .branch a").count()).toBe(2);
        await shown(one, ".yaml-line", "replicas: 2");
        expect(await one.locator(".changes").filter({ hasText: "spec.replicas" }).count()).toBe(0);
        await one.locator(".bar nav a").filter({ hasText: "Queues" }).click();
        await shown(one, ".keys .note", "The journal tells the keys of this moment");
        await one.locator(".bar nav a").filter({ hasText: "Numbers" }).click();
        if (one === late) await shown(one, ".note", "numbers of this moment are not remembered");
        expect(new URL(one.url()).hash).toContain(`at=${at}`);
      }
      await tab.getByRole("button", { name: "back to now" }).click();
      await tab.locator(".bar nav a").filter({ hasText: "Flow" }).click();
      await shown(tab, pods, /^4$/);
    });

    test("is chosen by the keyboard, and played", async () => {
      const tab = await look(plane.pageUrl);
      const slider = tab.getByRole("slider", { name: "the moment that the page shows" });
      await expect.poll(() => slider.isEnabled()).toBe(true);
      await slider.focus();
      await tab.keyboard.press("Home");
      await shown(tab, ".time-bar.past output", "ago");
      const first = new URL(tab.url()).hash;
      await tab.keyboard.press("ArrowRight");
      await expect.poll(() => new URL(tab.url()).hash).not.toBe(first);
      expect(await accessibilityFaults(tab)).toEqual([]);
      await tab.getByRole("button", { name: "play from this moment on" }).click();
      const second = new URL(tab.url()).hash;
      await expect.poll(() => new URL(tab.url()).hash).not.toBe(second);
      await tab.getByRole("button", { name: "stop playing" }).click();
      await tab.getByRole("button", { name: "back to now" }).click();
      await shown(tab, ".time-bar output", "now");
    });

    test("may be that of a recording, which is opened by the button or dropped", async () => {
      const trace = await recordingOfFailure();
      const tab = await look(plane.pageUrl);
      const file = { name: "sweep.json", mimeType: "application/json", buffer: Buffer.from(trace) };
      await tab.locator("input[type=file]").setInputFiles({ ...file, buffer: Buffer.from("{") });
      await shown(tab, ".problem", "sweep.json cannot be opened: not JSON at character 1");
      await tab.locator("input[type=file]").setInputFiles(file);
      await shown(tab, ".recorded", "sweep.json");
      await shown(tab, ".recorded .problem", "the end is bad");
      await shown(tab, '[data-lane="configmaps"] .indexer b', /^1$/);
      await shown(tab, '[data-controller="stamp"] .kind', "ConfigMap");
      await tab.locator(".story-line button").first().click();
      await tab.locator('[data-lane="configmaps"]').waitFor({ state: "detached" });
      await tab.locator(".story-line button").last().click();
      expect(await accessibilityFaults(tab)).toEqual([]);
      await tab.goto(`${plane.pageUrl}#/why?kind=ConfigMap&namespace=default&name=a`);
      await shown(tab, ".story-list", "stamp");
      await shown(tab, ".run-details", "reconciled default/a");
      await tab.keyboard.press("4");
      await shown(tab, ".problem", "a recording has no objects");
      await tab.keyboard.press("5");
      await shown(tab, ".problem", "a recording has no numbers");
      await tab.getByRole("button", { name: "close the recording" }).click();
      await tab.keyboard.press("1");
      await shown(tab, '[data-lane="v1/pods"] .phase', "watching");
      await drop(tab, trace);
      await shown(tab, ".recorded", "dropped.json");
    });
  });
});

async function drop(tab: Awaited<ReturnType<Rig["look"]>>, text: string): Promise<void> {
  const data = await tab.evaluateHandle(
    `(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(text)}], "dropped.json"));
      return transfer;
    })()`,
  );
  await tab.dispatchEvent("main", "drop", { dataTransfer: data });
}

async function recordingOfFailure(): Promise<string> {
  const report = await simulate({
    async operator({ client, clock, random }) {
      const manager = await Manager.create({ client, clock, random });
      manager.controller({
        name: "stamp",
        for: ConfigMap,
        async reconcile({ object, client: writes }) {
          const { name, namespace = "" } = object.metadata;
          const data = { stamped: "yes" };
          await writes.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data });
        },
      });
      return manager;
    },
    async scenario({ client, sleep }) {
      await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" } });
      await sleep(1_000);
      throw new Error("the end is bad");
    },
    seeds: 0,
  });
  return JSON.stringify(report.failures[0]?.trace);
}
