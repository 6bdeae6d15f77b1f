/** Builds the site: takes the repository's documents, gives linked and checked pages in a folder. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, posix } from "node:path";
import { apiDocuments } from "./api-reference.js";
import { commandLineDocument } from "./command-line.js";
import { type Document, fenced, pageOf } from "./document.js";
import { layOut, type Page, searchScript, styleSheet } from "./layout.js";
import { type Heading, render } from "./markdown.js";
import { navigationOf } from "./navigation.js";

export interface SiteOptions {
  /** The repository's root; its package is built. */
  readonly repository: string;
  /** The place of the site. Its earlier contents are deleted. */
  readonly folder: string;
}

export interface Site {
  /** The paths of all pages in the folder. */
  readonly pages: readonly string[];
}

/** Rejects, and writes nothing, if a link leads nowhere; the message has a line for each, with document and target. */
export async function buildSite({ repository, folder }: SiteOptions): Promise<Site> {
  const documents = [
    ...filesOf(repository),
    decisionsIndex(repository),
    await commandLineDocument(),
    ...apiDocuments(repository),
  ];
  const { pages, pictures, broken } = renderAll(repository, documents);
  const { groups, unknown } = navigationOf(readFileSync(join(repository, "README.md"), "utf8"), pages);
  const faults = [...broken, ...unknown];
  if (faults.length > 0) throw new Error(`${faults.length} broken links:\n${faults.join("\n")}`);
  rmSync(folder, { recursive: true, force: true });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const page of pages.values()) write(page.path, layOut(page, groups));
  write("style.css", styleSheet);
  write("search.js", searchScript([...pages.values()]));
  for (const picture of pictures) {
    mkdirSync(dirname(join(folder, picture)), { recursive: true });
    copyFileSync(join(repository, picture), join(folder, picture));
  }
  return { pages: [...pages.keys()] };
}

/** The Markdown files for readers. */
function filesOf(repository: string): Document[] {
  const inFolder = (folder: string): string[] =>
    readdirSync(join(repository, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`);
  const examples = readdirSync(join(repository, "examples"))
    .map((name) => `examples/${name}/README.md`)
    .filter((path) => existsSync(join(repository, path)));
  const top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
  return [...top, ...inFolder("docs"), ...inFolder("docs/decisions"), ...examples].map((source) =>
    documentOf(repository, source),
  );
}

/** A file that is not Markdown is shown as it is. */
function documentOf(repository: string, source: string): Document {
  const text = readFileSync(join(repository, source), "utf8");
  if (source.endsWith(".md")) return { source, markdown: text };
  return { source, markdown: `# ${source}\n\n${fenced("", text)}` };
}

function decisionsIndex(repository: string): Document {
  const rows = readdirSync(join(repository, "docs/decisions"))
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => {
      const title = /^# (.*)/.exec(readFileSync(join(repository, "docs/decisions", name), "utf8"))?.[1];
      return `- [${title ?? name}](${name})\n`;
    });
  return { source: "docs/decisions/README.md", markdown: `# Decisions\n\n${rows.join("")}` };
}

/** A link to a heading, which can be checked when all pages are there. */
interface Reference {
  readonly source: string;
  readonly href: string;
  readonly page: string;
  readonly anchor: string;
}

interface Everything {
  /** By their paths. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Files that pages show, by their paths in the repository. */
  readonly pictures: ReadonlySet<string>;
  /** A line for each link that leads nowhere. */
  readonly broken: readonly string[];
}

/** Renders the documents, and every file to which one of them links. */
function renderAll(repository: string, documents: readonly Document[]): Everything {
  const queue = [...documents];
  const queued = new Set(queue.map(({ source }) => source));
  const pages = new Map<string, Page & { readonly headings: readonly Heading[] }>();
  const pictures = new Set<string>();
  const broken: string[] = [];
  const references: Reference[] = [];

  /** The document of a link's path: a file, or the index of a folder. */
  const find = (path: string): string | undefined => {
    if (queued.has(path)) return path;
    const index = posix.join(path, "README.md");
    if (queued.has(index)) return index;
    const found = [path, index].find((one) => statSync(join(repository, one), { throwIfNoEntry: false })?.isFile());
    if (found === undefined || found.startsWith("..")) return undefined;
    if (/\.(?:png|svg)$/.test(found)) pictures.add(found);
    else {
      queued.add(found);
      queue.push(documentOf(repository, found));
    }
    return found;
  };

  const rewrite = (source: string, href: string): string => {
    if (/^[a-z]+:/.test(href)) return href;
    const [path = "", anchor = ""] = href.split("#");
    const target = path === "" ? source : find(posix.join(posix.dirname(source), path));
    if (target === undefined) {
      broken.push(`${source}: ${href}: there is no such file`);
      return href;
    }
    const isPicture = pictures.has(target);
    const page = isPicture ? target : pageOf(target);
    if (anchor !== "") references.push({ source, href, page, anchor });
    return posix.relative(posix.dirname(pageOf(source)), page) + (anchor && `#${anchor}`);
  };

  for (const { source, markdown } of queue) {
    const { html, headings } = render(markdown, (href) => rewrite(source, href));
    const title = headings.find(({ depth }) => depth === 1)?.text ?? source;
    pages.set(pageOf(source), { path: pageOf(source), source, title, html, headings });
  }
  for (const { source, href, page, anchor } of references) {
    const isThere = pages.get(page)?.headings.some(({ id }) => id === anchor);
    if (isThere !== true) broken.push(`${source}: ${href}: there is no such heading`);
  }
  return { pages, pictures, broken };
}
