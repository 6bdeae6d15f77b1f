/**
 * Runs a program in the place of etcd or kube-apiserver until a signal stops it. Contract: it also ends when the process
 * that started it is killed.
 */
import { linkedAbort, messageOf, systemClock } from "../../base/index.js";
import { processTerminal } from "../terminal.js";
import type { StandIn } from "./stand-in.js";

const load = {
  etcd: async (): Promise<StandIn> => (await import("./etcd.js")).etcd,
  "kube-apiserver": async (): Promise<StandIn> => (await import("./kube-apiserver.js")).kubeApiserver,
} as const;

export async function runStandIn(name: keyof typeof load, args: readonly string[]): Promise<number> {
  using stop = processTerminal.stopSignal();
  using ending = linkedAbort(stop.signal);
  const warn = (text: string): void => processTerminal.err(`coxswain ${name}: ${text}\n`);
  const watching = untilOrphan(ending.signal).then(
    () => ending.abort(new Error("the process that started it is gone")),
    () => {},
  );
  try {
    const { run } = await load[name]();
    await run(args, { signal: ending.signal, warn });
    return 0;
  } catch (error) {
    warn(messageOf(error));
    return 1;
  } finally {
    ending.abort(new Error("it has ended"));
    await watching;
  }
}

const lookMs = 250;

/** A process whose parent ends, even by SIGKILL, is given another parent. The script that starts a stand-in names its own. */
async function untilOrphan(signal: AbortSignal): Promise<void> {
  const parent = Number(process.env["COXSWAIN_PARENT"] ?? process.ppid);
  while (process.ppid === parent) await systemClock.sleep(lookMs, signal);
}
