/** `node dist/main.js [--kubeconfig FILE] [--install-definitions]`: runs the operator until SIGINT or SIGTERM. */
import { connect, installDefinition, managerOptionsFrom, runProgram } from "coxswain";
import { crdOf } from "coxswain/api";
import { operator } from "./operator.js";
import { Website } from "./website.js";

const flags = {
  "install-definitions": {
    type: "boolean",
    description: "install the definitions first; the manifests do it in a cluster",
  },
} as const;

process.exitCode = await runProgram({ flags }, async ({ flags: { installDefinitions, ...cluster }, signal, log }) => {
  await using client = await connect(cluster);
  if (installDefinitions) await installDefinition(client, crdOf(Website), { signal });
  await operator(managerOptionsFrom(cluster, { name: "my-operator", client, log })).run({ signal });
});
