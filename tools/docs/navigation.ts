/** Makes the site's navigation from the table "Where to go on" of README.md and the pages made from the code. */
import { posix } from "node:path";
import { pageOf } from "./document.js";
import type { Group, Page } from "./layout.js";

interface Navigation {
  readonly groups: readonly Group[];
  /** A line for each link of the table that leads to no page. */
  readonly unknown: readonly string[];
}

/** Rows of the table with one page are guides; a row with several is a group of its own. */
export function navigationOf(readme: string, pages: ReadonlyMap<string, Page>): Navigation {
  const unknown: string[] = [];
  const pageAt = (source: string): Page[] => {
    const page = pages.get(pageOf(source.endsWith("/") ? posix.join(source, "README.md") : source));
    if (page === undefined) unknown.push(`README.md: ${source}: there is no such page`);
    return page === undefined ? [] : [page];
  };
  const table = readme.split("## Where to go on")[1] ?? "";
  const rows = [...table.matchAll(/^\| (.+?) \| (\[.+) \|$/gm)].map(([, title = "", links = ""]) => ({
    title: capitalised(title.replaceAll("`", "").replace(/, run by.*/, "")),
    pages: [...links.matchAll(/\]\(([^)]+)\)/g)].flatMap(([, source = ""]) => pageAt(source)),
  }));
  const reference = [...pages.values()].filter(({ source }) => source.startsWith("reference/"));
  const guides = rows.filter((row) => row.pages.length === 1).flatMap((row) => row.pages);
  const groups = [
    { title: "Start", pages: pageAt("README.md") },
    { title: "Guides", pages: guides },
    { title: "Reference", pages: reference },
    ...rows.filter((row) => row.pages.length > 1),
    { title: "Releases", pages: [...pageAt("CHANGELOG.md"), ...pageAt("SECURITY.md")] },
  ];
  return { groups, unknown };
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
