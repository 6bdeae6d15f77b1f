/** Builds the published JavaScript: one file per layer, because Node takes longer to find 300 small modules than to run them. */
import { readFileSync } from "node:fs";
import { defineConfig } from "rolldown";

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

/** Packages that the user's npm brings; the others become part of the files. */
const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

/** `dist/base/index.js` is built from `src/base/index.ts`, and so on for each subpath and command. */
const outputs = [...Object.values(manifest.exports), ...Object.values(manifest.bin)]
  .map((target) => (typeof target === "string" ? target : target.default))
  .filter((target) => target.includes("dist/"))
  .map((target) => target.replace(/^(?:\.\/)?dist\//, "").replace(/\.js$/, ""));

export default defineConfig({
  input: Object.fromEntries(outputs.map((name) => [name, `src/${name}.ts`])),
  platform: "node",
  // a layer that reaches past another's index makes that index export more than it says; types do not show it
  preserveEntrySignatures: "allow-extension",
  external: [/^node:/, ...installed.map((name) => new RegExp(`^${name}(?:/|$)`))],
  transform: { target: "es2023" },
  output: {
    dir: "dist",
    format: "esm",
    sourcemap: true,
    // stacks name the lines of the sources; their text would make the maps twice as large as the code
    sourcemapExcludeSources: true,
    minifyInternalExports: false,
    // one character that is not Latin makes V8 hold the whole file with two bytes for each; the comments are in the types
    comments: false,
    minify: { compress: false, mangle: false, codegen: { asciiOnly: true, removeWhitespace: false } },
    entryFileNames: "[name].js",
    // the folder stays the layer's, so that `new URL(…, import.meta.url)` means the same here and there
    chunkFileNames: ({ name }) => (name.includes("/") ? "[name].js" : "cli/[name].js"),
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          debugName: "one file per layer",
          name: (id, modules) => {
            // what `using` is compiled to; every layer needs it, and no entry may be the one that has it
            if (id.includes("@oxc-project")) return "base/using";
            // an entry stays by itself: it exports what it says, and nobody imports a command, which would run it
            if (outputs.some((name) => id.endsWith(`/src/${name}.ts`))) return null;
            const layer = /\/src\/([^/]+)\//.exec(id)?.[1];
            // what is imported on demand stays apart, or it would load at once; and no command waits for the layers of another
            const onDemand = (modules.getModuleInfo(id)?.dynamicImporters.length ?? 0) > 0;
            if (/\/src\/cli\/(?:program|version)\.ts$/.test(id)) return "cli/program";
            return layer === undefined || layer === "cli" || onDemand ? null : `${layer}/layer`;
          },
        },
      ],
    },
  },
});
