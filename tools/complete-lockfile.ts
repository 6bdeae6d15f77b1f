/**
 * `npm run lock`: completes package-lock.json after a dependency has changed. A registry mirror may lack the binaries of
 * other platforms; npm then leaves them out of the file, and `npm ci` fails on every machine. An entry with the version
 * and the platform is enough: npm skips it where it does not fit, and fetches it where it does.
 */
import { readFileSync, writeFileSync } from "node:fs";

interface Entry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly license?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, Entry>>;
}

/** The parts of a binary package's name that say where it runs, with what package.json calls them. */
const systems = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const processors = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

function platformOf(name: string): Readonly<Record<string, readonly string[]>> {
  const words = name.split(/[-/]/);
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.includes(processor));
  const libc = name.includes("musl") ? ["musl"] : name.includes("gnu") && os.includes("linux") ? ["glibc"] : [];
  if (cpu.length === 0) throw new Error(`cannot tell from its name where ${name} runs`);
  return { cpu, ...(os.length > 0 && { os }), ...(libc.length > 0 && { libc }) };
}

const path = "package-lock.json";
const lock = JSON.parse(readFileSync(path, "utf8")) as Lockfile;
const added: Record<string, Entry> = {};
for (const { optionalDependencies = {}, license, dev } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const key = `node_modules/${name}`;
    if (key in lock.packages || !/^\d+\.\d+\.\d+/.test(version)) continue;
    added[key] = { version, ...platformOf(name), ...(dev && { dev }), ...(license && { license }), optional: true };
  }
}
const packages = Object.fromEntries(
  Object.entries({ ...lock.packages, ...added }).toSorted(([a], [b]) => (a < b ? -1 : 1)),
);
writeFileSync(path, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
console.error(`package-lock.json: ${Object.keys(added).length} platform packages added`);
