/**
 * `npm run docs`: makes the documentation site in .cache/site, which needs no network and no server. A link that leads
 * nowhere is named with its document, and ends the command with status 1.
 */
import { join, resolve } from "node:path";
import { buildSite } from "./docs/site.js";

const folder = resolve(".cache/site");
try {
  const { pages } = await buildSite({ repository: process.cwd(), folder });
  console.log(`${pages.length} pages; open ${join(folder, "index.html")}`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
