/** Makes the folder with the programs `kube-apiserver`, `etcd` and `kubectl` that test suites start, and gives its path. */
import { createHash, randomUUID } from "node:crypto";
import { chmod, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { kubernetesVersion } from "../../apiserver/http/documents/health.js";
import { makePrivateFolder } from "../../base/index.js";
import { etcdVersion } from "./etcd.js";
import { apiserverFlags, etcdFlags, type FlagTable } from "./flags.js";

export interface AssetsOptions {
  /** The program and the first arguments that run this command line. */
  readonly command: readonly string[];
  readonly version: string;
  /** The folder that holds the folders of all versions; by default one for caches of this user. */
  readonly parent?: string;
}

/**
 * The folder's name has a digest of the programs in it, so that installations of several versions do not disturb each
 * other. Several processes may make it at once: a file gets its name when it is complete.
 */
export async function envtestFolder({ command, version, parent }: AssetsOptions): Promise<string> {
  if (process.platform === "win32")
    throw new Error("the programs for envtest are shell scripts, which Windows cannot run");
  const programs = programsFor(command);
  const digest = createHash("sha256")
    .update(JSON.stringify([...programs]))
    .digest("hex")
    .slice(0, 12);
  const name = `${version}-${digest}`;
  const folder = await made(parent === undefined ? candidates() : [parent], name);
  for (const [program, script] of programs) await ensureProgram(join(folder, program), script);
  return folder;
}

/** A home directory may be absent or read-only, as in some containers. */
function candidates(): readonly string[] {
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return [join(cache, "coxswain", "envtest"), join(tmpdir(), `coxswain-envtest-${userInfo().username}`)];
}

async function made(parents: readonly string[], name: string): Promise<string> {
  const failures: unknown[] = [];
  for (const parent of parents) {
    try {
      await makePrivateFolder(join(parent, name));
      return join(parent, name);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

async function ensureProgram(path: string, script: string): Promise<void> {
  const there = await readFile(path, "utf8").catch(() => undefined);
  if (there === script) return;
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, script, { mode: 0o700 });
    await chmod(draft, 0o700);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

function programsFor(command: readonly string[]): ReadonlyMap<string, string> {
  const kubernetes = `Kubernetes ${kubernetesVersion.gitVersion}`;
  return new Map([
    ["kube-apiserver", standIn(command, { name: "kube-apiserver", table: apiserverFlags, version: kubernetes })],
    ["etcd", standIn(command, { name: "etcd", table: etcdFlags, version: `etcd Version: ${etcdVersion}` })],
    ["kubectl", kubectl],
  ]);
}

interface Described {
  readonly name: "etcd" | "kube-apiserver";
  readonly table: FlagTable;
  readonly version: string;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * Suites ask for help before each start, to see which flags there are; the shell answers at once. This process is ours
 * alone, and one of many on its machine, so it holds its garbage to a megabyte and allocates in one arena (decision
 * 0036), and a Node that can keep compiled code (22.1) keeps it beside the script.
 */
function standIn(command: readonly string[], { name, table, version }: Described): string {
  const flags = (set: ReadonlySet<string>): string =>
    [...set]
      .toSorted()
      .map((flag) => `  --${flag}`)
      .join("\n");
  return `#!/bin/sh
case "\${1-}" in
--version) echo ${quoted(version)}; exit 0 ;;
--help | -h) cat <<'END'
Coxswain in the place of ${name}, for tests.

Flags with an effect:
${flags(table.heeded)}

Flags that are accepted, because they tune what is not here:
${flags(table.quiet)}

Flags without effect, which are named in a warning:
${flags(table.missed)}
END
exit 0 ;;
esac
NODE_COMPILE_CACHE="\${0%/*}/compiled" NODE_OPTIONS="--max-semi-space-size=1 \${NODE_OPTIONS-}" \\
  MALLOC_ARENA_MAX="\${MALLOC_ARENA_MAX-1}" COXSWAIN_PARENT=$PPID \\
  exec ${command.map(quoted).join(" ")} envtest ${name} "$@"
`;
}

/** COXSWAIN_KUBECTL is set for the kubectl that is found: if that is a stand-in too, it gives up instead of seeking. */
const kubectl = `#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "\${COXSWAIN_KUBECTL-}" ]; then
  IFS=:
  for folder in $PATH /usr/local/kubebuilder/bin; do
    if [ -x "$folder/kubectl" ] && [ "$folder" != "$here" ]; then
      unset IFS
      COXSWAIN_KUBECTL=$folder/kubectl exec "$folder/kubectl" "$@"
    fi
  done
fi
echo "kubectl: there is no kubectl on PATH, and this stand-in can run none of its commands ($*): install kubectl" >&2
exit 1
`;
