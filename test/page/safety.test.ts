/** The page keeps strangers out, runs no script but its own, and comes back with its process. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Manager } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/index.js";
import { eventually } from "../eventually.js";
import { launch, openPage, shown } from "./browser.js";
import { startControlPlane } from "./control-plane.js";
import { describeInBrowser, servePage, type ServeOptions, type Served } from "./rig.js";

describeInBrowser("in a browser", ({ open, look }) => {
  async function serve(title: string, options: ServeOptions = {}): Promise<Served> {
    const served = await servePage({ title }, options);
    onTestFinished(() => served.close());
    return served;
  }

  test("a script that somebody has put into the page does not run, and no other host is asked", async () => {
    const { url } = await serve("strict");
    const elsewhere = await serve("elsewhere");
    const { page: tab } = await open(url);
    await shown(tab, ".vitals", "strict");
    const broken: unknown = await tab.evaluate(`(async () => {
      const broken = [];
      addEventListener("securitypolicyviolation", ({ effectiveDirective }) => broken.push(effectiveDirective));
      const script = document.createElement("script");
      script.textContent = "window.intruder = true";
      document.body.append(script);
      const button = document.createElement("button");
      button.setAttribute("onclick", "window.intruder = true");
      document.body.append(button);
      button.click();
      const image = new Image();
      image.src = "${elsewhere.url}page/assets/x.svg";
      const frame = document.createElement("iframe");
      frame.src = "${elsewhere.url}";
      document.body.append(image, frame);
      await fetch("${elsewhere.url}page/numbers").catch(() => {});
      while (!["script-src-elem", "script-src-attr", "img-src", "frame-src", "connect-src"].every((one) => broken.includes(one)))
        await new Promise((again) => setTimeout(again, 10));
      return [window.intruder ?? "kept out", [...new Set(broken)].sort()];
    })()`);
    expect(broken).toEqual(["kept out", ["connect-src", "frame-src", "img-src", "script-src-attr", "script-src-elem"]]);
  });

  test("a token is wanted once, and is not left in the address", async () => {
    const { url } = await serve("guarded", { token: "open-sesame" });
    const { page: tab } = await open(url);
    await shown(tab, "body", "the page wants its token");
    await tab.goto(`${url}?token=wrong`);
    await shown(tab, "body", "the page wants its token");
    await tab.goto(`${url}?token=open-sesame#/queues`);
    await shown(tab, ".vitals", "guarded");
    await shown(tab, ".connection", "live");
    expect(tab.url()).toBe(`${url}#/queues`);
    expect(await tab.evaluate("document.cookie")).toBe("");
    await tab.reload();
    await shown(tab, ".connection", "live");
  });

  test("a manager that others can reach shows nothing without a token", async () => {
    await using cluster = await startCluster();
    const start = async (page: { readonly token: string } | undefined): Promise<string> => {
      const http = { host: "0.0.0.0", port: 0, ...(page !== undefined && { page }) };
      const manager = new Manager({ client: cluster.client, http });
      const running = manager.start();
      onTestFinished(() => running.close());
      await eventually("the manager serves its page", () => manager.url !== undefined);
      return `http://127.0.0.1:${new URL(manager.url ?? "").port}/`;
    };
    const { page: tab } = await open(await start(undefined));
    await shown(tab, "body", "token");
    expect(await tab.locator(".vitals").count()).toBe(0);
    await tab.goto(`${await start({ token: "t" })}?token=t`);
    await shown(tab, ".connection", "live");
  });

  test("a name that resolves to this machine is refused (rebinding)", async () => {
    const { url } = await serve("at home");
    const rebound = await launch(["--host-resolver-rules=MAP rebound.example 127.0.0.1"]);
    onTestFinished(() => rebound.close());
    const { page: tab } = await openPage(rebound, url.replace("127.0.0.1", "rebound.example"));
    await shown(tab, "body", "ask for localhost or an address");
    const asked: unknown = await tab.evaluate("fetch('/page/numbers').then(({ status }) => status)");
    expect(asked).toBe(403);
  });

  test("a site of another origin can neither read nor embed it, but may link to it", async () => {
    const { url } = await serve("at home");
    const site = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><title>site</title><a href="${url}">the page</a>`);
    });
    await new Promise<void>((listening) => site.listen(0, "127.0.0.1", listening));
    onTestFinished(() => new Promise<void>((closed) => void site.close(() => closed())));
    onTestFinished(() => site.closeAllConnections());
    const { page: tab } = await open(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const tried: unknown = await tab.evaluate(`(async () => {
      const read = await fetch("${url}page/numbers").then(({ status }) => status, () => "refused");
      const blind = await fetch("${url}page/numbers", { mode: "no-cors" }).then(({ type }) => type, () => "refused");
      const stream = await new Promise((done) => {
        const source = new EventSource("${url}page/stream");
        source.onerror = () => done("refused");
        source.onmessage = () => done("read");
      });
      const frame = document.createElement("iframe");
      frame.src = "${url}";
      const loaded = new Promise((done) => frame.addEventListener("load", done));
      document.body.append(frame);
      await loaded;
      let inside = "refused";
      try { inside = frame.contentDocument === null ? "refused" : "read"; } catch {}
      return [read, blind, stream, inside];
    })()`);
    expect(tried).toEqual(["refused", "refused", "refused", "refused"]);
    await tab.getByText("the page").click();
    await shown(tab, ".vitals", "at home");
  });

  test("it says that the process is gone, and shows the next one when that is there", async () => {
    const first = await servePage({ title: "the first" });
    const { page: tab } = await open(first.url);
    await shown(tab, ".vitals", "the first");
    await first.close();
    await shown(tab, ".notices", "does not answer");
    await serve("the second", { port: Number(new URL(first.url).port) });
    await shown(tab, ".connection", "live");
    await shown(tab, ".vitals", "the second");
    expect(await tab.locator(".notices").textContent()).toBe("");
  });

  test("each view works on after coxswain up was started again", async () => {
    const first = await startControlPlane();
    const port = Number(new URL(first.pageUrl).port);
    const { page: tab, faults } = await open(first.pageUrl);
    await shown(tab, '[data-lane="v1/pods"] .phase', "watching");
    await first[Symbol.asyncDispose]();
    await shown(tab, ".notices", "does not answer");
    await using second = await startControlPlane(port);
    expect(second.pageUrl).toBe(first.pageUrl);
    await shown(tab, ".connection", "live");
    await shown(tab, '[data-lane="v1/pods"] .phase', "watching");
    await tab.keyboard.press("4");
    await shown(tab, ".node h2", "node-1");
    await tab.keyboard.press("5");
    await shown(tab, '.plot[aria-label="Memory"]', "resident");
    await tab.keyboard.press("2");
    await shown(tab, ".side", "deployment");
    expect(faults.filter((fault) => !fault.includes("net::ERR_"))).toEqual([]);
  });

  test("everything is reached by the keyboard alone", async () => {
    const plane = await startControlPlane();
    onTestFinished(() => plane[Symbol.asyncDispose]());
    const tab = await look(plane.pageUrl);
    await shown(tab, '[data-lane="v1/pods"] .phase', "watching");
    const focused = (): Promise<string> =>
      tab.evaluate("document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''");
    const tabTo = async (wanted: string): Promise<void> => {
      for (let i = 0; i < 300; i++) {
        await tab.keyboard.press("Tab");
        if ((await focused()).includes(wanted)) return;
      }
      throw new Error(`${wanted} is not reached by the keyboard`);
    };
    await tabTo("skip to the view");
    await tabTo("Queues");
    await tab.keyboard.press("Enter");
    await shown(tab, "main.queues", /./);
    await tabTo("help for this view");
    await tab.keyboard.press("Enter");
    await shown(tab, ".help", "failing");
    await tabTo("open a recording");
    await tabTo("theme");
    await tabTo("the moment that the page shows");
    await tabTo("deployment");
    await tab.keyboard.press("Enter");
    await shown(tab, ".keys h2", "Deployment");
    await tabTo("find a key");
    await tabTo("delayed");
    await tab.keyboard.press("Enter");
    await shown(tab, '.tabs [aria-current="true"]', "delayed");
  });
});
