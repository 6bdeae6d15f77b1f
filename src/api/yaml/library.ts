/** The grammar of YAML, from a package that is loaded with the first text: most programs start and stop without any. */
import { createRequire } from "node:module";
import type * as Library from "js-yaml";

const require = createRequire(import.meta.url);

export const yamlLibrary = (): typeof Library => require("js-yaml") as typeof Library;
