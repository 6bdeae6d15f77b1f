/** The frame around a page: navigation, contents, search and style, all from the site itself. */
import { posix } from "node:path";
import { escapeHtml, type Heading } from "./markdown.js";

export interface Page {
  /** In the site's folder. */
  readonly path: string;
  /** The document from which it was made. */
  readonly source: string;
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
}

export interface Group {
  readonly title: string;
  readonly pages: readonly Page[];
}

export function layOut(page: Page, groups: readonly Group[]): string {
  const root = posix.relative(posix.dirname(page.path), ".") || ".";
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)}${page.path === "index.html" ? "" : " · Coxswain"}</title>
<link rel="stylesheet" href="${root}/style.css">
<link rel="icon" href="data:,">
<script src="${root}/search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header><a class="home" href="${root}/index.html">Coxswain</a>
<div class="search"><input type="search" aria-label="Search pages, headings and names" placeholder="Search" autocomplete="off"><ul hidden></ul></div></header>
<div class="columns">
<nav aria-label="Pages"><details open><summary>Pages</summary>
${groups.map((group) => groupOf(page, group)).join("\n")}
</details></nav>
<main id="content">
${page.html.replace("</h1>\n", (end) => end + contentsOf(page.headings))}</main>
</div>
</body>
</html>
`;
}

function groupOf(page: Page, { title, pages }: Group): string {
  const links = pages.map((other) => {
    const here = other.path === page.path ? ' aria-current="page"' : "";
    const href = posix.relative(posix.dirname(page.path), other.path);
    return `<li><a href="${href}"${here}>${escapeHtml(other.title)}</a></li>`;
  });
  return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${links.join("\n")}\n</ul>`;
}

/** Sections and their parts; a page with less than three has no need of it. */
function contentsOf(headings: readonly Heading[]): string {
  const listed = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (listed.length < 3) return "";
  const items = listed.map(
    ({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<details class="contents"><summary>On this page</summary><ul>\n${items.join("\n")}\n</ul></details>`;
}

/** A script with all titles and headings in it: a page that was opened from a disk may not fetch a file. */
export function searchScript(pages: readonly Page[]): string {
  const places = pages.flatMap(({ path, title, headings }) =>
    headings.map(({ depth, id, text }) => [text, depth === 1 ? "" : title, depth === 1 ? path : `${path}#${id}`]),
  );
  return `const places = ${JSON.stringify(places)};
const root = document.documentElement.dataset.root;
const input = document.querySelector(".search input");
const list = document.querySelector(".search ul");
const rank = (text, wanted) => (text === wanted ? 0 : text.startsWith(wanted) ? 1 : 2);
input.addEventListener("input", () => {
  const wanted = input.value.trim().toLowerCase();
  const found = places
    .filter(([text]) => wanted !== "" && text.toLowerCase().includes(wanted))
    .sort(([a], [b]) => rank(a.toLowerCase(), wanted) - rank(b.toLowerCase(), wanted))
    .slice(0, 20);
  list.replaceChildren(...found.map(([text, title, path]) => {
    const link = document.createElement("a");
    link.href = root + "/" + path;
    link.textContent = title === "" ? text : text + " · " + title;
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
  list.hidden = found.length === 0;
});
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") list.querySelector("a")?.click();
  if (event.key === "Escape") list.hidden = true;
});
list.addEventListener("click", () => { list.hidden = true; });
// where there is no room beside the text, the pages are folded away
document.querySelector("nav details").open = matchMedia("(min-width: 60rem)").matches;
`;
}

export const styleSheet = `:root {
  color-scheme: light dark;
  --text: light-dark(#1b2430, #d8dee6);
  --soft: light-dark(#55606e, #97a3b2);
  --back: light-dark(#ffffff, #12171e);
  --panel: light-dark(#f3f5f8, #1b222c);
  --line: light-dark(#d9dfe6, #303a47);
  --link: light-dark(#0b5cad, #78b4f5);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; font: 1rem/1.6 system-ui, sans-serif; color: var(--text); background: var(--back); }
a { color: var(--link); }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 3; background: var(--back); padding: 0.5rem; }
header { position: sticky; top: 0; z-index: 2; display: flex; gap: 1rem; align-items: center; justify-content: space-between;
  padding: 0.6rem 1rem; background: var(--panel); border-bottom: 1px solid var(--line); }
.home { font-weight: 700; color: var(--text); text-decoration: none; }
.search { position: relative; flex: 0 1 22rem; min-width: 0; }
.search input { width: 100%; font: inherit; padding: 0.25rem 0.6rem; color: inherit; background: var(--back);
  border: 1px solid var(--line); border-radius: 0.4rem; }
.search ul { position: absolute; right: 0; width: min(30rem, 92vw); max-height: 70vh; overflow: auto; margin: 0.3rem 0 0; padding: 0.4rem;
  list-style: none; background: var(--back); border: 1px solid var(--line); border-radius: 0.4rem; }
.search li a { display: block; padding: 0.2rem 0.4rem; overflow-wrap: anywhere; }
.columns { max-width: 80rem; margin: 0 auto; }
nav { padding: 0.6rem 1rem; }
nav h2 { margin: 1rem 0 0.2rem; font-size: 0.8rem; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: 0.1rem 0; text-decoration: none; }
nav a[aria-current] { font-weight: 700; color: var(--text); }
main { padding: 0 1rem 4rem; min-width: 0; overflow-wrap: break-word; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2em 0 0.5em; }
h1 { margin-top: 0.8em; }
.anchor { visibility: hidden; text-decoration: none; }
:is(h1, h2, h3, h4):is(:hover, :focus-within) .anchor { visibility: visible; }
.contents { margin: 1rem 0; padding: 0.5rem 1rem; background: var(--panel); border-radius: 0.4rem; }
.contents ul { list-style: none; margin: 0.3rem 0; padding: 0; columns: 18rem auto; }
.contents .depth-3 { padding-left: 1rem; }
summary { cursor: pointer; color: var(--soft); }
code { font: 0.88em/1.5 ui-monospace, monospace; background: var(--panel); padding: 0.1em 0.3em; border-radius: 0.25rem; }
pre { overflow-x: auto; padding: 0.8rem 1rem; background: var(--panel); border-radius: 0.4rem; }
pre code { padding: 0; background: none; }
.table { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.7rem; border: 1px solid var(--line); min-width: 6rem; }
img { max-width: 100%; height: auto; }
@media (min-width: 60rem) {
  .columns { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
  nav { position: sticky; top: 3.2rem; height: calc(100vh - 3.2rem); overflow: auto; border-right: 1px solid var(--line); }
  nav summary { display: none; }
  main { padding: 0 2.5rem 4rem; }
}
@media (max-width: 40rem) { th, td { padding: 0.3rem 0.4rem; overflow-wrap: anywhere; } }
@media print { header, nav, .contents, .anchor { display: none; } }
`;
