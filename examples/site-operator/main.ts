/** `node main.js [--kubeconfig FILE] [--webhook-port N]`: runs the operator until SIGINT or SIGTERM. */
import { connect, installDefinition, runProgram } from "coxswain";
import { siteManager } from "./operator.js";
import { siteDefinition } from "./site.js";

export function main(args: readonly string[]): Promise<number> {
  const flags = {
    "webhook-port": { type: "number", default: 0, description: "the port of the webhooks; 0 takes any free one" },
  } as const;
  return runProgram({ args, flags }, async ({ flags: { webhookPort, ...cluster }, signal, log }) => {
    await using client = await connect(cluster);
    await installDefinition(client, siteDefinition(), { signal });
    await siteManager({ client, log, port: webhookPort }).run({ signal });
  });
}

if (import.meta.filename === process.argv[1]) process.exitCode = await main(process.argv.slice(2));
