/**
 * `npm run release:check`: checks whether this checkout could be published. Runs after `npm run build`, prints a line
 * for each rule and ends with status 1 if one is broken. It publishes and changes nothing.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** A release that grows beyond these limits on purpose raises them in the same commit, with the reason. */
const mostPackedBytes = 4_500_000; // with the sources, to which the maps lead
const mostUnpackedBytes = 17_500_000;
const mostFirstViewBytes = 120_000;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
const folder = mkdtempSync(join(tmpdir(), "coxswain-release-"));
let broken = 0;

/** A rule holds if its check gives undefined; otherwise it gives the complaint, or throws it. */
function rule(title: string, check: () => string | undefined): void {
  let complaint: string | undefined;
  try {
    complaint = check();
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as { stdout?: string; stderr?: string; message: string };
    complaint = `${stdout}${stderr}`.trim() || message;
  }
  if (complaint !== undefined) broken++;
  console.log(complaint === undefined ? `ok      ${title}` : `BROKEN  ${title}\n${complaint}`);
}

function pack(): Packed {
  const [packed] = JSON.parse(
    run("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder),
  ) as Packed[];
  if (packed === undefined) throw new Error("npm pack told of no package");
  return packed;
}

function changelogComplaint(): string | undefined {
  const heading = readFileSync("CHANGELOG.md", "utf8").match(/^## (.*)$/m)?.[1] ?? "";
  const isDated = new RegExp(`^${version.replaceAll(".", "\\.")} \\(\\d{4}-\\d{2}-\\d{2}\\)$`).test(heading);
  return isDated ? undefined : `the first heading is "${heading}"; write "${version} (YYYY-MM-DD)"`;
}

function lockfileComplaint(): string | undefined {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    readonly packages: Readonly<
      Record<
        string,
        {
          readonly integrity?: string;
          readonly resolved?: string;
          readonly hasInstallScript?: boolean;
          readonly dev?: boolean;
        }
      >
    >;
  };
  const bad = Object.entries(lock.packages).filter(
    ([path, entry]) =>
      path !== "" &&
      (entry.integrity === undefined ||
        entry.resolved !== undefined ||
        (entry.hasInstallScript === true && entry.dev !== true)),
  );
  return bad.length === 0
    ? undefined
    : `without integrity, with a host, or with an install script: ${bad.map(([path]) => path).join(", ")}`;
}

try {
  rule("the tree is clean", () => run("git", "status", "--porcelain").trim() || undefined);
  rule(`CHANGELOG.md begins with ${version} and its date`, changelogComplaint);
  rule("the lockfile has an integrity for each package, names no host and runs no scripts", lockfileComplaint);
  const packed = pack();
  const tarball = join(folder, packed.filename);
  rule("the package holds code, types, maps, sources, documents and the template of a project alone", () => {
    const other = packed.files
      .map(({ path }) => path)
      .filter((path) => !path.startsWith("templates/"))
      .filter(
        (path) => !/^(?:dist\/|docs\/|src\/|package\.json$|[A-Z]+(?:\.md)?$)/.test(path) || /\.test\./.test(path),
      );
    return other.length === 0 ? undefined : other.join("\n");
  });
  rule(`it is at most ${mostPackedBytes} bytes packed and ${mostUnpackedBytes} unpacked`, () =>
    packed.size <= mostPackedBytes && packed.unpackedSize <= mostUnpackedBytes
      ? undefined
      : `it is ${packed.size} and ${packed.unpackedSize}`,
  );
  rule(`the page's first view is at most ${mostFirstViewBytes} bytes compressed`, () => {
    const web = "dist/dashboard/web";
    const first = readdirSync(`${web}/page/assets`).filter((name) => name.startsWith("index-"));
    const files = [`${web}/index.html`, ...first.map((name) => `${web}/page/assets/${name}`)];
    const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
    return bytes <= mostFirstViewBytes ? undefined : `it is ${bytes}`;
  });
  rule("publint has nothing to say", () => void run("npx", "publint", tarball, "--strict"));
  rule("the types resolve for every importer (attw)", () => void run("npx", "attw", tarball, "--profile", "esm-only"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(broken === 0 ? "ready to be released" : `${broken} broken`);
process.exitCode = broken === 0 ? 0 : 1;
