/** The documentation site: it has all pages, needs no network, and a link that leads nowhere is found. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { render } from "../tools/docs/markdown.js";
import { buildSite } from "../tools/docs/site.js";
import { repository } from "./source-files.js";

const scratch = mkdtempSync(join(tmpdir(), "coxswain-docs-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe("the site of this repository", () => {
  const folder = join(scratch, "site");
  let pages: readonly string[] = [];
  const texts = new Map<string, string>();
  const read = (page: string): string => {
    const text = texts.get(page) ?? readFileSync(join(folder, page), "utf8");
    texts.set(page, text);
    return text;
  };
  /** The targets of links, pictures, scripts and styles. */
  const targets = (page: string, attribute: string): string[] =>
    [...read(page).matchAll(new RegExp(` ${attribute}="([^"]*)"`, "g"))].map((match) => match[1] ?? "");

  beforeAll(async () => {
    ({ pages } = await buildSite({ repository, folder }));
  }, 120_000);

  test("has a page for every document", () => {
    const markdown = (home: string): string[] =>
      readdirSync(join(repository, home)).filter((name) => name.endsWith(".md"));
    const guides = markdown("docs").map((name) => `docs/${name.replace(/md$/, "html")}`);
    const decisions = markdown("docs/decisions").map((name) => `docs/decisions/${name.replace(/md$/, "html")}`);
    const others = ["index.html", "CHANGELOG.html", "examples/sample-controller/index.html"];
    expect(pages).toEqual(expect.arrayContaining([...guides, ...decisions, ...others]));
    expect(pages.filter((page) => !existsSync(join(folder, page)))).toEqual([]);
  });

  test("leads from its first page to every other, and nowhere else", () => {
    const reached = new Set(["index.html"]);
    const missing: string[] = [];
    for (const page of reached) {
      for (const href of targets(page, "href").filter((one) => !/^[a-z]+:/.test(one))) {
        const [path = "", anchor] = href.split("#");
        const target = path === "" ? page : posix.join(posix.dirname(page), path);
        const isThere = existsSync(join(folder, target));
        if (!isThere || (anchor !== undefined && !read(target).includes(` id="${anchor}"`)))
          missing.push(`${page}: ${href}`);
        if (isThere && target.endsWith(".html")) reached.add(target);
      }
    }
    expect(missing).toEqual([]);
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });

  test("loads nothing from elsewhere", () => {
    const loaded = pages.flatMap((page) => targets(page, "src").map((src) => posix.join(posix.dirname(page), src)));
    expect([...new Set(loaded)].filter((path) => !existsSync(join(folder, path)))).toEqual([]);
    expect(read("style.css")).not.toMatch(/url\(|@import/);
  });

  test("describes every command with its flags", () => {
    const page = read("reference/command-line.html");
    for (const heading of ["coxswain up", "coxswain controller-manager", "coxswain node stop", "coxswain new"])
      expect(page).toContain(` id="${heading.replaceAll(" ", "-")}"`);
    expect(page).toContain("<code>--data-dir &lt;folder&gt;</code>");
    expect(page).toContain("the port of the API server; 0 takes a free one (default: 6443)");
  });

  test("describes every exported name by its declaration and comment", () => {
    const page = read("reference/workqueue.html");
    expect(page).toContain('<h2 id="work">');
    expect(page).toContain("A key that a worker holds. No other worker gets the key until <code>done</code>;");
    expect(page).toContain("interface Work&lt;K&gt; extends Disposable, Reasons {\n    readonly key: K;");
    expect(page).not.toContain("#private");
    expect(read("reference/coxswain.html")).toContain('href="workqueue.html#ratelimitingqueue"');
    expect(read("reference/api.html")).toContain("<code>Pod</code>");
  });
});

test("a link to a missing file or heading is named with its document, and nothing is written", async () => {
  const copy = join(scratch, "broken");
  mkdirSync(copy);
  for (const name of readdirSync(repository))
    if (name !== "docs") symlinkSync(join(repository, name), join(copy, name));
  cpSync(join(repository, "docs"), join(copy, "docs"), { recursive: true });
  writeFileSync(
    join(copy, "docs/client.md"),
    "# The client\n\n[a](gone.md) [b](page.md#gone) [c](#gone) [d](page.md)\n",
  );
  const folder = join(scratch, "broken-site");
  const message = await buildSite({ repository: copy, folder }).then(() => "", String);
  expect(message).toContain("docs/client.md: gone.md: there is no such file");
  expect(message).toContain("docs/client.md: page.md#gone: there is no such heading");
  expect(message).toContain("docs/client.md: #gone: there is no such heading");
  expect(message).not.toContain("docs/client.md: page.md:");
  expect(existsSync(folder)).toBe(false);
});

test("headings have GitHub's anchors, and raw HTML is text", () => {
  const { html, headings } = render(
    "# A `b`, c/d: e_f\n\n## Twice\n\n## Twice\n\n<b>x</b> [l](y.md)\n",
    (href) => `to/${href}`,
  );
  expect(headings.map(({ id }) => id)).toEqual(["a-b-cd-e_f", "twice", "twice-1"]);
  expect(html).toContain('&lt;b&gt;x&lt;/b&gt; <a href="to/y.md">l</a>');
});
