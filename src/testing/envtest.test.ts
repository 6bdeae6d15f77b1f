import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { envtestAssets } from "./envtest.js";
import { hasRealCluster, realCluster } from "./shared-envtest.js";

describe.skipIf(!hasRealCluster())("the real control plane (skipped where KUBEBUILDER_ASSETS is not set)", () => {
  test("answers kubectl through the kubeconfig it wrote", async () => {
    const { kubeconfig } = await realCluster();
    const kubectl = join(envtestAssets() as string, "kubectl");
    const { stdout } = await promisify(execFile)(kubectl, ["--kubeconfig", kubeconfig, "get", "ns", "-o", "name"]);
    expect(stdout.split("\n")).toContain("namespace/default");
  });

  test("is the same for everyone in the run", async () => {
    const [first, second] = await Promise.all([realCluster(), realCluster()]);
    expect(second).toEqual(first);
  });
});
