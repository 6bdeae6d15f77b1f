/**
 * `npm run suites -- [--only NAME[/PACKAGE],…] [--write]`: runs suites of other projects on the real kube-apiserver (of
 * KUBEBUILDER_ASSETS) and on the programs in its place, and prints verdicts, time and memory beside each other; with
 * `--write`, the rows of whole suites go into docs/compatibility.md. It needs Go. Ends with status 1 if a test fares
 * differently.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Lifetime, systemClock } from "../src/base/index.js";
import { startEnvtest } from "../src/testing/envtest.js";
import { type Suite, suites } from "./suites-list.js";
import { type Measured, rowOf, withRow } from "./suites-table.js";

const folder = resolve(process.env["COXSWAIN_SUITES"] ?? ".cache/suites");
const document = "docs/compatibility.md";
const separator = " › ";
const sampleMs = 200;
/** A suite that hangs is ended by its own watch. */
const timeout = "20m";

/** The outcome of a package's tests: a verdict for each test, by its name. */
interface Outcome {
  readonly verdicts: ReadonlyMap<string, string>;
  readonly seconds: number;
  /** The most memory that the suite's servers had at one moment. */
  readonly megabytes: number;
}

function go(cwd: string, ...args: readonly string[]): string {
  return execFileSync("go", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** The sources of a module where its tests may write, made once. */
function sourcesOf({ name, module }: Suite): string {
  const sources = join(folder, "src", name);
  if (existsSync(sources)) return sources;
  mkdirSync(join(folder, "src"), { recursive: true });
  const { Dir } = JSON.parse(go(folder, "mod", "download", "-json", module)) as { readonly Dir: string };
  cpSync(Dir, sources, { recursive: true });
  for (const entry of readdirSync(sources, { recursive: true, withFileTypes: true })) {
    // a module's files are read-only, and its scripts have lost their right to run
    const isOpen = entry.isDirectory() || entry.name.endsWith(".sh");
    chmodSync(join(entry.parentPath, entry.name), isOpen ? 0o755 : 0o644);
  }
  return sources;
}

/** The test program of a package, built once. */
function programOf({ name }: Suite, sources: string, packageFolder: string): string {
  const program = join(folder, "bin", name, `${packageFolder.replaceAll("/", "_")}.test`);
  if (!existsSync(program)) go(sources, "test", "-c", "-vet=off", "-o", program, `./${packageFolder}`);
  return program;
}

/** Whether the program takes Ginkgo's flags. */
const hasSpecs = (program: string): boolean => readFileSync(program).includes("github.com/onsi/ginkgo/v2.RunSpecs");

interface Place {
  readonly cwd: string;
  /** The folder with the servers' programs. */
  readonly assets: string;
  /** The folder with kubectl. */
  readonly tools: string;
  /** The definitions of a cluster that the suite wants to find. */
  readonly definitions: string | undefined;
}

/** All tests of the program, or those of these names. */
async function outcomeOf(program: string, place: Place, names: readonly string[] = []): Promise<Outcome> {
  const { cwd, assets, tools, definitions } = place;
  await using lifetime = new Lifetime();
  const report = `${program}.json`;
  writeFileSync(report, "[]");
  const specs = hasSpecs(program) ? [`-ginkgo.json-report=${report}`, `-ginkgo.timeout=${timeout}`] : [];
  const args = ["-test.v", `-test.timeout=${timeout}`, ...specs, ...chosenBy(names)];
  const started = systemClock.monotonic();
  const cluster = definitions === undefined ? undefined : lifetime.use(await startEnvtest({ assets }));
  const servers = cluster === undefined ? [] : await Promise.all([cluster.apiserver.pid(), cluster.etcd.pid()]);
  const found = cluster === undefined ? {} : { KUBECONFIG: cluster.kubeconfig };
  if (definitions !== undefined)
    execFileSync(join(tools, "kubectl"), ["apply", "--server-side", "-f", definitions], {
      env: { ...process.env, ...found },
      stdio: ["ignore", "ignore", "inherit"],
    });
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, KUBEBUILDER_ASSETS: assets, ...found },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const ended = new AbortController();
  const closed = once(child, "close").then(() => ended.abort());
  let most = 0;
  while (!ended.signal.aborted) {
    most = Math.max(most, serverMegabytes(child.pid ?? 0, servers));
    await systemClock.sleep(sampleMs, ended.signal).catch(() => {});
  }
  await closed;
  writeFileSync(`${program}.log`, output);
  const verdicts = new Map([...testVerdicts(output), ...specVerdicts(JSON.parse(readFileSync(report, "utf8")))]);
  return { verdicts, seconds: (systemClock.monotonic() - started) / 1000, megabytes: most };
}

/** A spec is chosen by its text, any other test by its function. */
function chosenBy(names: readonly string[]): readonly string[] {
  const specs = names.filter((name) => name.includes(separator));
  const tests = names.filter((name) => !name.includes(separator));
  const either = (texts: readonly string[]): string =>
    texts.map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")).join("|");
  if (specs.length > 0)
    return [`-ginkgo.focus=${either(specs.map((name) => name.replace(/ #\d+$/, "").replaceAll(separator, " ")))}`];
  return tests.length === 0 ? [] : [`-test.run=^(${either(tests.map((name) => name.replace(/\/.*$/, "")))})$`];
}

/** Tests whose names differ only by a random number are one, which fails if one of them does. */
function testVerdicts(output: string): ReadonlyMap<string, string> {
  const verdicts = new Map<string, string>();
  for (const [, verdict = "", full = ""] of output.matchAll(/^\s*--- (PASS|FAIL|SKIP): (\S+)/gm)) {
    const name = full.replaceAll(/\d{9,}/g, "N");
    if (verdicts.get(name) !== "fail") verdicts.set(name, verdict.toLowerCase());
  }
  return verdicts;
}

interface Report {
  /** Null for a suite that could not begin. */
  readonly SpecReports:
    | readonly {
        readonly ContainerHierarchyTexts: readonly string[] | null;
        readonly LeafNodeType: string;
        readonly LeafNodeText: string;
        readonly State: string;
      }[]
    | null;
}

/** Specs may share a name, so each has its number among those of the name. */
function* specVerdicts(reports: readonly Report[]): Generator<[string, string]> {
  const seen = new Map<string, number>();
  for (const { SpecReports } of reports) {
    for (const { ContainerHierarchyTexts, LeafNodeType, LeafNodeText, State } of SpecReports ?? []) {
      if (LeafNodeType !== "It") continue;
      const name = [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(separator);
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      const verdict = State === "passed" ? "pass" : ["skipped", "pending"].includes(State) ? "skip" : "fail";
      yield [count === 1 ? name : `${name} #${count}`, verdict];
    }
  }
}

/** The memory of these servers, and of the children of a process that are servers (Linux). */
function serverMegabytes(parent: number, servers: readonly number[]): number {
  let kilobytes = 0;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${id}/status`, "utf8");
      const isChild = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) === parent;
      if (!isChild && !servers.includes(Number(id))) continue;
      if (!/kube-apiserver|etcd/.test(readFileSync(`/proc/${id}/cmdline`, "utf8"))) continue;
      kilobytes += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    } catch {
      // the process has ended in between
    }
  }
  return kilobytes / 1024;
}

const sums = ({ verdicts, seconds, megabytes }: Outcome): Measured["here"] => ({
  passed: [...verdicts.values()].filter((one) => one === "pass").length,
  seconds,
  megabytes,
});

/** The names of the tests that fare differently. */
function differences(real: Outcome, ours: Outcome): readonly string[] {
  const names = new Set([...real.verdicts.keys(), ...ours.verdicts.keys()]);
  return [...names].filter((name) => real.verdicts.get(name) !== ours.verdicts.get(name));
}

/** The outcome, in which these tests have passed if they pass alone: others depend on the speed of the machine. */
async function secondChance(
  outcome: Outcome,
  names: readonly string[],
  run: (failed: readonly string[]) => Promise<Outcome>,
): Promise<Outcome> {
  const failed = names.filter((name) => outcome.verdicts.get(name) === "fail");
  if (failed.length === 0) return outcome;
  const { verdicts } = await run(failed);
  const passed = failed.filter((name) => verdicts.get(name) === "pass");
  return { ...outcome, verdicts: new Map([...outcome.verdicts, ...passed.map((name) => [name, "pass"] as const)]) };
}

async function main(args: readonly string[]): Promise<number> {
  const real = process.env["KUBEBUILDER_ASSETS"];
  if (!real || !statSync(join(real, "kube-apiserver"), { throwIfNoEntry: false })) {
    console.error("KUBEBUILDER_ASSETS must name a folder with the real kube-apiserver and etcd");
    return 2;
  }
  const ours = execFileSync(process.execPath, ["dist/cli/main.js", "envtest", "path"], { encoding: "utf8" }).trim();
  const only = args.includes("--only") ? (args[args.indexOf("--only") + 1]?.split(",") ?? []) : [""];
  const isChosen = (name: string): boolean => only.some((one) => `${name}/`.startsWith(one === "" ? "" : `${one}/`));
  mkdirSync(folder, { recursive: true });
  let different = 0;
  console.log("| package | tests | pass there | pass here | other verdicts | seconds there | here | MB there | here |");
  console.log("|---|---|---|---|---|---|---|---|---|");
  for (const suite of suites) {
    const chosen = suite.packages.filter((one) => isChosen(`${suite.name}/${one}`));
    const measured: Measured[] = [];
    for (const packageFolder of chosen) {
      const sources = sourcesOf(suite);
      const program = programOf(suite, sources, packageFolder);
      const definitions = suite.definitions === undefined ? undefined : join(sources, suite.definitions);
      const place = { cwd: join(sources, packageFolder), tools: real, definitions };
      const run = (assets: string, names?: readonly string[]): Promise<Outcome> =>
        outcomeOf(program, { ...place, assets }, names);
      let [there, here] = [await run(real), await run(ours)];
      const unlike = differences(there, here);
      there = await secondChance(there, unlike, (names) => run(real, names));
      here = await secondChance(here, unlike, (names) => run(ours, names));
      const found = differences(there, here);
      different += found.length;
      measured.push({ tests: there.verdicts.size, different: found.length, there: sums(there), here: sums(here) });
      console.log(rowOf(`${suite.name} ${packageFolder}`, measured.slice(-1)));
      for (const name of found) {
        const [real, ours] = [there, here].map(({ verdicts }) => verdicts.get(name) ?? "absent");
        console.error(`  ${suite.name} ${packageFolder}: ${name}: ${real} on the real one, ${ours} here`);
      }
    }
    if (measured.length < suite.packages.length) continue;
    const row = rowOf(`${suite.name} ${suite.module.replace(/^.*@v/, "")} | ${measured.length}`, measured);
    console.log(row);
    if (args.includes("--write")) writeFileSync(document, withRow(readFileSync(document, "utf8"), row));
  }
  return different === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
