/** A new operator's project: takes names, gives files by their paths, from the templates that the package carries. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isDns1123Label, isDns1123Subdomain } from "../../api/index.js";
import { pluralOf } from "./plural.js";

export interface ProjectNames {
  /** The name of the package, the lease and everything that is installed. */
  readonly name: string;
  /** The group of the kind, e.g. `example.com`. */
  readonly group: string;
  readonly kind: string;
  readonly version: string;
  /** The dependency on Coxswain: a version or the path of a packed file. */
  readonly coxswain: string;
}

/** The names in the templates. Each is one word there, so that replacing it changes nothing else. */
const inTemplates = {
  name: "my-operator",
  group: "example.com",
  kind: "Website",
  plural: "websites",
  lower: "website",
} as const;

/** npm leaves out files of some names when it packs, and these would act on the templates themselves. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["gitignore", ".gitignore"],
  ["dockerignore", ".dockerignore"],
  ["ci.yaml", join(".github", "workflows", "ci.yaml")],
]);

/** The templates stand beside dist/ in an installed package, and beside src/ in a checkout. */
function templateFolder(from: string = dirname(fileURLToPath(import.meta.url))): string {
  const folder = join(from, "templates", "operator");
  if (existsSync(folder)) return folder;
  const above = dirname(from);
  if (above === from) throw new Error("the templates of the package are missing: install it again");
  return templateFolder(above);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? filesIn(path) : [path];
    });
}

export function projectFiles(names: ProjectNames): ReadonlyMap<string, string> {
  checkNames(names);
  const folder = templateFolder();
  const texts = filesIn(folder).map((path) => ({ path: relative(folder, path), text: readFileSync(path, "utf8") }));
  const taken = texts.find(
    ({ path, text }) =>
      path.endsWith(".ts") && new RegExp(`\\b${names.kind}\\b`).test(text.replaceAll(inTemplates.kind, "")),
  );
  if (names.kind !== inTemplates.kind && taken !== undefined)
    throw new Error(`--kind ${names.kind}: the project uses this name for something else; choose another`);
  const lower = names.kind.toLowerCase();
  const words = new Map<string, string>([
    [inTemplates.name, names.name],
    [inTemplates.group, names.group],
    [inTemplates.kind, names.kind],
    [inTemplates.plural, pluralOf(lower)],
    [inTemplates.lower, lower],
  ]);
  const pattern = new RegExp([...words.keys()].map((word) => word.replaceAll(".", "\\.")).join("|"), "g");
  const filled = (text: string): string => text.replaceAll(pattern, (word) => words.get(word) ?? word);
  return new Map(
    texts.map(({ path, text }) => {
      const content = filled(text).replaceAll(`${names.group}/v1`, `${names.group}/${names.version}`);
      return [filled(renamed.get(path) ?? path), completed(path, content, names)];
    }),
  );
}

function completed(path: string, text: string, { coxswain, version }: ProjectNames): string {
  if (path === "package.json") return text.replace('"coxswain": "0.0.0"', `"coxswain": ${JSON.stringify(coxswain)}`);
  return text.replace('version: "v1",', `version: ${JSON.stringify(version)},`);
}

function checkNames({ name, group, kind, version }: ProjectNames): void {
  const complain = (what: string, text: string, complaints: readonly string[]): void => {
    if (complaints.length > 0) throw new Error(`${what} ${JSON.stringify(text)}: ${complaints.join("; ")}`);
  };
  complain("the name", name, isDns1123Label(name));
  complain(
    "--group",
    group,
    group.includes(".") ? isDns1123Subdomain(group) : ["a group has a dot, as in example.com"],
  );
  complain("--kind", kind, /^[A-Z][A-Za-z0-9]{0,62}$/.test(kind) ? [] : ["a kind is a word such as Website"]);
  complain(
    "--api-version",
    version,
    /^v[1-9]\d*(?:(?:alpha|beta)[1-9]\d*)?$/.test(version) ? [] : ["a version is v1, v1beta1 and the like"],
  );
}
