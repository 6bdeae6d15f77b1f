/** An operator's file: takes a path, gives the manager that the file makes, connected to no cluster. */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isDns1123Label } from "../../api/index.js";
import { isRecord } from "../../base/members.js";
import { silentLogger } from "../../base/index.js";
import { Client } from "../../client/index.js";
import { type Manager, managerOptionsFrom, type ManagerOptions, parseFlags } from "../../manager/index.js";

/** The function that an operator's file exports. */
type OperatorFunction = (options: ManagerOptions) => Manager | Promise<Manager>;

export interface OperatorFile {
  /** Of the nearest package.json; the file's own name without one. */
  readonly name: string;
  readonly version: string;
  readonly operator: OperatorFunction;
}

const contract =
  'export a function that takes options of a Manager and gives the Manager, as "operator" or as the default export';

export async function readOperatorFile(file: string): Promise<OperatorFile> {
  const path = resolve(file);
  if (!existsSync(path)) throw new Error(`there is no file ${file}`);
  const module = await imported(file, path);
  const fallback = module["default"];
  const operator = module["operator"] ?? (isRecord(fallback) ? fallback["operator"] : fallback);
  if (typeof operator !== "function") throw new Error(`${file} has no operator: ${contract}`);
  const { name = basename(path).replace(/\.[^.]*$/, ""), version = "0.1.0" } = packageOf(dirname(path));
  return { name: name.replace(/^@[^/]*\//, ""), version, operator: operator as OperatorFunction };
}

async function imported(file: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const { code } = Object(error) as { readonly code?: unknown };
    if (/\.[cm]?tsx?$/.test(path) && (code === "ERR_UNKNOWN_FILE_EXTENSION" || code === "ERR_MODULE_NOT_FOUND"))
      throw new Error(
        `${file} cannot be run as it is by Node ${process.versions.node}: compile it, and give the .js file`,
        { cause: error },
      );
    throw error;
  }
}

interface Package {
  readonly name?: string;
  readonly version?: string;
}

function packageOf(folder: string): Package {
  const path = join(folder, "package.json");
  if (existsSync(path)) {
    const { name, version } = JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, unknown>>;
    if (typeof name === "string") return { name, ...(typeof version === "string" ? { version } : {}) };
  }
  const above = dirname(folder);
  return above === folder ? {} : packageOf(above);
}

/**
 * The manager as the program makes it with these arguments and in this namespace. Every request fails, because the
 * declarations alone are of interest.
 */
export async function managerWithoutCluster(
  { operator }: OperatorFile,
  { name, namespace, args }: { readonly name: string; readonly namespace: string; readonly args: readonly string[] },
): Promise<Manager> {
  for (const [what, text] of Object.entries({ name, namespace })) {
    const complaints = isDns1123Label(text);
    if (complaints.length > 0) throw new Error(`--${what} ${JSON.stringify(text)}: ${complaints.join("; ")}`);
  }
  const transport = (): Promise<never> =>
    Promise.reject(
      new Error("there is no cluster here: an operator function declares, and asks nothing of the server"),
    );
  await using client = new Client({ transport, namespace, fieldManager: name });
  const manager: unknown = await operator(managerOptionsFrom(parseFlags(args), { name, client, log: silentLogger }));
  if (typeof Object(manager).needs !== "function") throw new Error(`the operator gave no Manager: ${contract}`);
  return manager as Manager;
}
