/**
 * `npm run example -- NAME [flags]`: runs an example on the cluster of `--kubeconfig`. Without that flag it starts a
 * control plane for it, and also plays the example's user.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Client, connect } from "coxswain";
import { messageOf, startRunning } from "coxswain/base";

const examples = ["sample-controller", "network-controller", "pod-service-watcher", "site-operator", "load-curve"];
/** Examples that start a cluster of their own. */
const alone = ["load-curve"];

interface Example {
  main(args: readonly string[]): Promise<number>;
}

interface Demo {
  demo(client: Client, say: (line: string) => void, signal: AbortSignal): Promise<void>;
}

const [name = "", ...args] = process.argv.slice(2);
if (!examples.includes(name)) {
  console.error(`there is no example "${name}": choose from ${examples.join(", ")}`);
  process.exit(2);
}
const example = (await import(`./${name}/main.js`)) as Example;
const elsewhere = args.some((arg) => arg.startsWith("--kubeconfig") || arg.startsWith("--master"));
process.exitCode =
  elsewhere || alone.includes(name) || args.includes("--help") ? await example.main(args) : await beside(example);

/** Starts the control plane as a child process, which ends with this one. */
async function beside({ main }: Example): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-example-"));
  const kubeconfig = join(folder, "kubeconfig");
  const up = [new URL("../../../dist/cli/main.js", import.meta.url).pathname, "up", "--port=0", "--status-port=0"];
  const plane = spawn(process.execPath, [...up, `--kubeconfig-out=${kubeconfig}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await Promise.race([
      (async () => {
        for await (const chunk of plane.stdout) if (String(chunk).includes("ready https://")) return;
      })(),
      once(plane, "exit").then(([code]) => Promise.reject(new Error(`the control plane ended with ${String(code)}`))),
    ]);
    console.error(`the control plane is ready: export KUBECONFIG=${kubeconfig}`);
    await using _user = startRunning((signal) => playUser(kubeconfig, signal));
    return await main([...args, "--kubeconfig", kubeconfig]);
  } finally {
    plane.kill("SIGTERM");
    if (plane.exitCode === null) await once(plane, "exit");
    await rm(folder, { recursive: true, force: true });
  }
}

/** Ends with the example, at the latest. */
async function playUser(kubeconfig: string, signal: AbortSignal): Promise<void> {
  const { demo } = (await import(`./${name}/demo.js`)) as Demo;
  await using client = await connect({ kubeconfig });
  const say = (line: string): void => console.log(`▶ ${line}`);
  try {
    await demo(client, say, signal);
    say("that was it; try more with kubectl, and end with Ctrl-C");
  } catch (error) {
    if (!signal.aborted) say(`the demonstration failed: ${messageOf(error)}`);
  }
}
