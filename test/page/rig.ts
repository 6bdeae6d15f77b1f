/** The set-up of tests in a browser: one Chromium for a file, tabs that close with their test, and servers for pages. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";
import { Page, type PageOptions, type PageSources } from "../../src/dashboard/index.js";
import { buildPage, chromiumPath, launch, type OpenOptions, openPage, type Watching } from "./browser.js";
import { emptySources } from "./empty-sources.js";

export interface Rig {
  readonly browser: () => Browser;
  /** Opens an address; the tab is closed at the end of the test. */
  open(url: string, options?: OpenOptions): Promise<Watching>;
  /** Opens an address; the test fails at its end if anything went wrong in the browser. */
  look(url: string, options?: OpenOptions): Promise<Tab>;
}

/** Tests that need a browser: they are skipped, and their name says so, where there is none. */
export function describeInBrowser(title: string, tests: (rig: Rig) => void): void {
  describe.skipIf(chromiumPath === undefined)(
    `${title} (skipped where there is no Chromium: set CHROMIUM_PATH)`,
    () => {
      let browser: Browser;

      beforeAll(async () => {
        buildPage();
        browser = await launch();
      });

      afterAll(() => browser.close());

      const open: Rig["open"] = async (url, options) => {
        const watching = await openPage(browser, url, options);
        onTestFinished(() => watching.page.context().close());
        return watching;
      };
      const look: Rig["look"] = async (url, options) => {
        const { page, faults } = await open(url, options);
        onTestFinished(() => expect(faults).toEqual([]));
        return page;
      };
      tests({ browser: () => browser, open, look });
    },
  );
}

export interface ServeOptions extends PageOptions {
  /** 0 takes a free one. */
  readonly port?: number;
}

export interface Served {
  /** Ends with a slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a page of the given sources on loopback; the caller closes it. */
export async function servePage(sources: Partial<PageSources>, options: ServeOptions = {}): Promise<Served> {
  const page = new Page({ ...emptySources(), ...sources }, options);
  const server = createServer((request, response) => void page.answer(request, response));
  await new Promise<void>((listening) => server.listen(options.port ?? 0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      page[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
