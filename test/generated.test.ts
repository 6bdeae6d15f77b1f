import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kubernetesGenerator } from "../tools/kubernetes/generator.js";
import { moduleNames } from "../tools/kubernetes/modules.js";

/** True if the go client has the sources already: a test does not wait for a network. */
function haveSources(): boolean {
  try {
    execFileSync("go", ["mod", "download", "-json", ...moduleNames], {
      cwd: "/",
      stdio: "ignore",
      env: { ...process.env, GOPROXY: "off", GOFLAGS: "" },
    });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!haveSources())("generated files (skipped where the go client has not fetched the sources)", () => {
  test("are what the generator writes today, and nothing else lies beside them", { timeout: 120_000 }, async () => {
    const files = await kubernetesGenerator.files();
    const present = new Map<string, string>();
    for (const folder of kubernetesGenerator.folders) {
      for (const name of await readdir(folder))
        present.set(join(folder, name), await readFile(join(folder, name), "utf8"));
    }
    const differing = [...files].filter(([path, content]) => present.get(path) !== content).map(([path]) => path);
    expect(differing).toEqual([]);
    expect([...present.keys()].filter((path) => !files.has(path))).toEqual([]);
  });
});
