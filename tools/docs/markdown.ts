/** Turns Markdown into HTML: headings get GitHub's anchors, links are handed to the caller, raw HTML is shown as text. */
import { Marked, type Tokens } from "marked";

export interface Heading {
  readonly depth: number;
  readonly id: string;
  /** Without marks. */
  readonly text: string;
}

export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** `rewrite` gives the place to which a link or an image leads on the site. */
export function render(markdown: string, rewrite: (href: string) => string): Rendered {
  const headings: Heading[] = [];
  const marked = new Marked({
    walkTokens: (token) => {
      if (token.type === "link" || token.type === "image") {
        const link = token as Tokens.Link | Tokens.Image;
        link.href = rewrite(link.href);
      }
    },
    renderer: {
      heading({ tokens, depth }) {
        const text = this.parser.parseInline(tokens, this.parser.textRenderer);
        const id = anchorOf(text, headings);
        headings.push({ depth, id, text });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)} <a class="anchor" href="#${id}" aria-label="link to this section">#</a></h${depth}>\n`;
      },
      html: ({ text }) => (text.startsWith("<!--") ? "" : escapeHtml(text)),
    },
  });
  return { html: scrollable(marked.parse(markdown, { async: false })), headings };
}

/** Code and tables that are wider than the page scroll by themselves, also by the keyboard. */
function scrollable(html: string): string {
  return html
    .replaceAll("<pre>", '<pre tabindex="0">')
    .replaceAll("<table>", '<div class="table" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
}

/** As GitHub makes them: letters, digits, `-` and `_` stay, and the second of one name gets a number. */
function anchorOf(text: string, taken: readonly Heading[]): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
  const isFree = (id: string): boolean => taken.every((heading) => heading.id !== id);
  let id = slug;
  for (let i = 1; !isFree(id); i++) id = `${slug}-${i}`;
  return id;
}

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);

export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (char) => entities.get(char) ?? char);
