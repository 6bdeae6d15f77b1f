/** `coxswain explain KIND/NAME`: asks the page of a running process why an object is as it is, and prints the chain of causes. */
import { Command } from "commander";
import { messageWithCauses } from "../../base/log/errors.js";
import { explainText, type WhyAnswer } from "../../dashboard/index.js";
import { parseName } from "../flags.js";
import type { Terminal } from "../terminal.js";

interface ExplainFlags {
  readonly namespace: string;
  readonly page: string;
  readonly token?: string;
}

export function explainCommand(terminal: Terminal): Command {
  return new Command("explain")
    .description("print why an object is as it is: the reconciles behind it, their causes and effects, and its events")
    .argument("<object>", "kind/name, as in deployment/web")
    .option("-n, --namespace <name>", "that of the object", parseName, "default")
    .option("--page <url>", "the page of the process that reconciles", "http://127.0.0.1:6480/")
    .option("--token <token>", "the token of a page that other machines can reach")
    .action((object: string, flags: ExplainFlags, command: Command) => {
      const [kind = "", name = "", ...rest] = object.split("/");
      if (kind === "" || name === "" || rest.length > 0)
        command.error(`error: ${JSON.stringify(object)} is not an object: give kind/name, as in deployment/web`);
      if (!URL.canParse(flags.page)) command.error(`error: --page takes an address, such as http://127.0.0.1:6480/`);
      return explain({ kind, name }, flags, terminal);
    });
}

async function explain(
  { kind, name }: { readonly kind: string; readonly name: string },
  { namespace, page, token }: ExplainFlags,
  terminal: Terminal,
): Promise<void> {
  using stop = terminal.stopSignal();
  const url = new URL("page/why", page.endsWith("/") ? page : `${page}/`);
  url.search = new URLSearchParams({ kind, namespace, name }).toString();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, signal: stop.signal }).catch((error: unknown) => {
    const why = messageWithCauses(error);
    throw new Error(
      `no page answers at ${page}: ${why}\nStart coxswain up, or give --page the address that the program printed.`,
    );
  });
  const text = await response.text();
  if (!response.ok) throw new Error(problemIn(text) ?? `${page} answered ${response.status}`);
  terminal.out(explainText(JSON.parse(text) as WhyAnswer));
}

function problemIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { readonly problem?: string }).problem;
  } catch {
    return text.trim() || undefined;
  }
}
