/**
 * `npm run bench -- <name>… [--json] [--only=<part>,…]`: prints a table for people, or with --json one line of JSON.
 * With --only, a benchmark of several programs measures those whose name contains a part.
 */
import { existsSync, readdirSync } from "node:fs";
import type { Report, Run } from "./harness.js";

const onlyFlag = "--only=";
const notBenches = new Set(["run", "harness", "samples"]);

const names = readdirSync(new URL(".", import.meta.url))
  .filter((file) => file.endsWith(".js"))
  .map((file) => file.slice(0, -3))
  .filter((name) => !notBenches.has(name) && existsSync(`bench/${name}.ts`))
  .toSorted();

async function main(args: readonly string[]): Promise<number> {
  const json = args.includes("--json");
  const only = args
    .find((arg) => arg.startsWith(onlyFlag))
    ?.slice(onlyFlag.length)
    .split(",");
  const unknown = args.filter((arg) => arg !== "--json" && !arg.startsWith(onlyFlag) && !names.includes(arg));
  const chosen = args.filter((arg) => names.includes(arg));
  if (unknown.length > 0 || (json ? chosen.length !== 1 : chosen.length === 0)) {
    for (const arg of unknown) console.error(`bench: there is no benchmark or flag ${arg}`);
    console.error(`usage: npm run bench -- <name>… | <name> --json [--only=<part>,…]\nnames: ${names.join(", ")}`);
    return 2;
  }
  // standard output is for the result alone
  console.log = console.error;
  for (const name of chosen) {
    const { run } = (await import(`./${name}.js`)) as { readonly run: Run };
    const log = (message: string): void => console.error(`${name}: ${message}`);
    const report = await run({ log, ...(only === undefined ? {} : { only }) });
    const { figures, ratios } = report;
    process.stdout.write(json ? `${JSON.stringify({ name, figures, ratios })}\n` : table(name, report));
  }
  return 0;
}

function table(name: string, { figures, ratios }: Report): string {
  const rows = [
    ...Object.entries(figures).map(([label, value]) => [label, amount(value)] as const),
    ...Object.entries(ratios).map(([label, value]) => [label, `${amount(value)} ×`] as const),
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  const right = Math.max(...rows.map(([, value]) => value.length));
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value.padStart(right)}`);
  return `${name}\n${lines.join("\n")}\n`;
}

function amount(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
}

process.exitCode = await main(process.argv.slice(2));
