/**
 * `node main.js [--kubeconfig FILE] [--master URL] [--namespace NAME]`: runs the controller until SIGINT or SIGTERM.
 * Without flags it uses KUBECONFIG, or in a pod the pod's service account.
 */
import { connect, EventBroadcaster, installDefinition, runProgram } from "coxswain";
import { coreCorrelation, coreEventSink } from "coxswain/controller";
import { runNetworkController } from "./controller.js";
import { Fabric } from "./fabric.js";
import { networkDefinition } from "./network.js";

export function main(args: readonly string[]): Promise<number> {
  return runProgram({ args }, async ({ flags, signal, log }) => {
    await using client = await connect(flags);
    await installDefinition(client, networkDefinition(), { signal });
    const broadcaster = new EventBroadcaster({ log });
    await using _sink = broadcaster.startRecordingToSink(coreCorrelation(coreEventSink(client)));
    const recorder = broadcaster.newRecorder({ component: "network-controller" });
    const { namespace } = flags;
    await runNetworkController({ client, fabric: new Fabric(), recorder, log, namespace }, signal);
  });
}

if (import.meta.filename === process.argv[1]) process.exitCode = await main(process.argv.slice(2));
