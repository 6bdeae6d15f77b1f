/** A program with a traced controller: it answers each Foo with a Deployment. */
import {
  connect,
  defineResource,
  Deployment,
  Manager,
  managerOptionsFrom,
  newControllerRef,
  runProgram,
} from "coxswain";
import { startTracing, withTraceIds } from "coxswain/opentelemetry";

const scope = "Namespaced";
const Foo = defineResource({ group: "traced.example.com", version: "v1", kind: "Foo", plural: "foos", scope });
const labels = { app: "foo" };

process.exitCode = await runProgram(async ({ flags, signal, log }) => {
  const tracing = startTracing();
  const client = await connect(flags);
  const traced = { client: tracing.annotating(client), log: withTraceIds(log) };
  const manager = new Manager(managerOptionsFrom(flags, { name: "foos", ...traced }));
  manager.controller({
    name: "foos",
    for: Foo,
    owns: [Deployment],
    async reconcile({ object, client, log }) {
      log.info("answers with a Deployment");
      const { name, namespace } = object.metadata;
      await client.apply(Deployment, {
        metadata: { name, namespace, ownerReferences: [newControllerRef(object, Foo)] },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "web:1" }] } },
        },
      });
    },
  });
  await manager.run({ signal });
  await client.close();
  tracing[Symbol.dispose]();
});
