/**
 * `npm run lock`: completes package-lock.json after a dependency has changed. A registry mirror may lack the binaries
 * of other platforms; npm then leaves them out of the file, and `npm ci` fails on every machine. An entry with the
 * version and the platform is enough: npm skips it where it does not fit, and fetches it where it does. Every entry
 * also gets its integrity, if the registry knows the package; the packages that it does not know are named.
 */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";

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

/** The parts of a binary package's name that name its platform, with package.json's words for them. */
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
/** The registry's integrity of a package's archive; undefined if it does not know the package. */
async function integrityOf(name: string, version: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("npm", ["view", `${name}@${version}`, "dist.integrity"]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

const unknown: string[] = [];
const packages: Record<string, Entry> = {};
for (const [key, entry] of Object.entries({ ...lock.packages, ...added }).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  packages[key] = entry;
  if (key === "" || entry["integrity"] !== undefined || entry.version === undefined) continue;
  const name = key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length);
  const integrity = await integrityOf(name, entry.version);
  if (integrity === undefined) unknown.push(`${name}@${entry.version}`);
  else packages[key] = { ...entry, integrity };
}
writeFileSync(path, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
console.error(`package-lock.json: ${Object.keys(added).length} platform packages added`);
if (unknown.length > 0) {
  console.error(
    `${unknown.length} packages are not in this registry, and so without integrity; run this with one that has them:`,
  );
  console.error(unknown.join("\n"));
}
