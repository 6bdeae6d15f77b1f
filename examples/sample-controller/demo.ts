/** Plays a user of the controller and prints, line by line, how the controller reacts. */
import { type Client, Deployment, installDefinition } from "coxswain";
import { Foo, fooDefinition } from "./foo.js";

export async function demo(client: Client, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const namespace = "default";
  const name = "example-foo";
  const foos = client.resource(Foo, { namespace });
  const deployments = client.resource(Deployment, { namespace });
  const until = { signal };
  await installDefinition(client, fooDefinition(), until);

  say(`you create Foo ${name}, which wants 1 replica`);
  await foos.create({ metadata: { name }, spec: { deploymentName: name, replicas: 1 } }, until);
  const first = await deployments.waitFor(name, (one) => one?.status?.availableReplicas === 1, until);
  say(`the controller has made Deployment ${name}: 1 pod is available`);

  say("you ask for 3 replicas");
  await foos.patch(name, { merge: { spec: { replicas: 3 } } }, until);
  await foos.waitFor(name, (foo) => foo?.status?.availableReplicas === 3, until);
  say("the Foo's status says that 3 are available");

  say("somebody scales the Deployment to 5, past the controller");
  await deployments.patch(name, { merge: { spec: { replicas: 5 } } }, until);
  await deployments.waitFor(name, (one) => one?.spec?.replicas === 3, until);
  say("the controller has set it back to 3");

  say("somebody deletes the Deployment");
  await deployments.delete(name, until);
  await deployments.waitFor(
    name,
    (one) => one !== undefined && one.metadata.uid !== first?.metadata.uid && one.status?.availableReplicas === 3,
    until,
  );
  say("the controller has made it again, and 3 pods are available");
}
