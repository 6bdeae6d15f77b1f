/** The YAML library, loaded when the first YAML is seen: most servers start and stop without any. */
import { createRequire } from "node:module";
import type * as Yaml from "yaml";

let library: typeof Yaml | undefined;

export function yamlLibrary(): typeof Yaml {
  library ??= createRequire(import.meta.url)("yaml") as typeof Yaml;
  return library;
}
