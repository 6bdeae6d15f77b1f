import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startTestServer } from "../../src/testing/cluster.js";
import { envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { statedCount } from "../conformance/stated.js";
import { type Command, comparable, walk } from "./kubectl-walk.js";

function kubectl(kubeconfig: string, cache: string, { args, input, env }: Command): Promise<string> {
  const words = args.split(" ").map((word) => (word.includes("schedule") ? word.replaceAll("_", " ") : word));
  return new Promise((resolve) => {
    const program = join(envtestAssets() as string, "kubectl");
    const settings = { env: { ...process.env, ...env, HOME: cache }, timeout: 120_000 };
    const child = execFile(
      program,
      ["--kubeconfig", kubeconfig, "--cache-dir", cache, ...words],
      settings,
      (error, out, err) => resolve(`${out}${err}[${error === null ? 0 : String(error.code)}]`),
    );
    child.stdin?.end(input);
  });
}

test("docs/compatibility.md states the number of cases", () => {
  expect(walk.length).toBe(statedCount("kubectl commands"));
});

describe.skipIf(!hasRealCluster())(
  "kubectl on the embedded server (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    test(`prints the same as on a real one, for ${walk.length} commands`, async () => {
      const directory = await mkdtemp(join(tmpdir(), "coxswain-walk-"));
      try {
        await using server = await startTestServer({
          disabledAdmission: ["ServiceAccount"],
          serviceNetwork: { cidr: "10.0.0.0/16" },
        });
        await using listener = await server.listen();
        const kubeconfig = join(directory, "kubeconfig");
        await writeFile(kubeconfig, listener.kubeconfig, { mode: 0o600 });
        // a server of its own: lists of the whole cluster must not depend on other tests
        await using real = await startEnvtest({ assets: envtestAssets() as string });
        const printed = { real: "", ours: "" };
        for (const command of walk) {
          const [theirs, mine] = await Promise.all([
            kubectl(real.kubeconfig, join(directory, "real"), command),
            kubectl(kubeconfig, join(directory, "ours"), command),
          ]);
          printed.real += `$ kubectl ${command.args}\n${comparable(theirs)}\n`;
          printed.ours += `$ kubectl ${command.args}\n${comparable(mine)}\n`;
        }
        expect(printed.ours).toBe(printed.real);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    }, 900_000);
  },
);
