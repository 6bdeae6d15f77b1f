/** A real browser for tests: finds Chromium, opens pages, and remembers everything that went wrong on them. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";
import { repository } from "../source-files.js";

/** `CHROMIUM_PATH`, or a browser on the PATH; undefined if there is none. */
export const chromiumPath: string | undefined = findChromium();

function findChromium(): string | undefined {
  const given = process.env["CHROMIUM_PATH"];
  if (given !== undefined) return existsSync(given) ? given : undefined;
  const folders = (process.env["PATH"] ?? "").split(":");
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  return names.flatMap((name) => folders.map((folder) => `${folder}/${name}`)).find((path) => existsSync(path));
}

/** The package with the page's files, if no build has made them yet. */
export function buildPage(): void {
  if (existsSync(`${repository}dist/dashboard/web/index.html`) && existsSync(`${repository}dist/cli/main.js`)) return;
  execFileSync("npm", ["run", "--silent", "build"], { cwd: repository, stdio: "pipe" });
}

export function launch(more: readonly string[] = []): Promise<Browser> {
  // a container has no user namespaces for the sandbox; the pages are our own
  const args = ["--no-sandbox", "--disable-dev-shm-usage", ...more];
  return chromium.launch({ executablePath: chromiumPath ?? "", args });
}

export interface Watching {
  readonly page: Page;
  /** Console errors, exceptions, refused resources and requests to other hosts. */
  readonly faults: readonly string[];
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "dark" | "light";
}

export async function openPage(browser: Browser, url: string, options: OpenOptions = {}): Promise<Watching> {
  const { width = 1280, height = 800, scheme = "dark" } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    if (new URL(request.url()).host !== new URL(url).host) faults.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  return { page, faults };
}

/** Waits until an element with this text is visible. */
export async function shown(tab: Page, selector: string, text: string | RegExp): Promise<void> {
  await tab.locator(selector).filter({ hasText: text }).first().waitFor();
}

const axe = (): string => readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The rules of accessibility that the page breaks, each with the first element that does. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe());
  const result: unknown = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
  const { violations } = result as {
    readonly violations: readonly {
      readonly id: string;
      readonly help: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
    }[];
  };
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html ?? ""} ${nodes[0]?.failureSummary ?? ""}`,
  );
}
