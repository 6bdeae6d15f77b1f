/** The controllers of the real kube-controller-manager, by its `--help`: we have each, or the documentation says why not. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builtInControllers } from "../../../src/builtin/index.js";
import { envtestAssets } from "../../../src/testing/envtest.js";

const assets = envtestAssets() ?? "";

/** Controllers of our own, and one that upstream has in a cloud's own program alone. */
const own = new Set(["simulated-volume-provisioner", "cloud-node-controller"]);

test.skipIf(assets === "")(
  "every controller is ours or explained (skipped where KUBEBUILDER_ASSETS is not set)",
  async () => {
    const { stdout } = await promisify(execFile)(join(assets, "kube-controller-manager"), ["--help"]);
    const namesAfter = (title: string): readonly string[] =>
      new RegExp(`${title}: ([a-z, -]+)`).exec(stdout)?.[1]?.trim().split(", ") ?? [];
    const theirs = namesAfter("All controllers");
    expect(theirs.length).toBeGreaterThan(40);
    const ours = builtInControllers.map(({ name }) => name);
    expect(ours.filter((name) => !theirs.includes(name) && !own.has(name))).toEqual([]);
    const document = await readFile(new URL("../../../docs/built-in-controllers.md", import.meta.url), "utf8");
    const [, missing = ""] = document.split("## Not here");
    const explained = [...missing.matchAll(/^\| ([a-z]+-[a-z-]+(?:, [a-z-]+)*) \|/gm)].flatMap(([, names = ""]) =>
      names.split(", "),
    );
    expect(theirs.filter((name) => !ours.includes(name)).toSorted()).toEqual(explained.toSorted());
    const off = builtInControllers.filter(({ disabledByDefault }) => disabledByDefault).map(({ name }) => name);
    const theirOff = namesAfter("Disabled-by-default controllers");
    expect(off.toSorted()).toEqual(theirOff.filter((name) => ours.includes(name)).toSorted());
  },
);
