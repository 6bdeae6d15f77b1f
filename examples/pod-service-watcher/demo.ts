/** Makes changes that the watcher can report. */
import { type Client, Deployment, Pod, Service } from "coxswain";

export async function demo(client: Client, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const namespace = "default";
  const labels = { app: "web" };
  const until = { signal };
  const deployments = client.resource(Deployment, { namespace });
  const available = (replicas: number): Promise<unknown> =>
    deployments.waitFor("web", (one) => one?.status?.availableReplicas === replicas, until);

  say("you create Service web and Deployment web with 2 replicas");
  const ports = [{ port: 80 }];
  await client
    .resource(Service, { namespace })
    .create({ metadata: { name: "web" }, spec: { selector: labels, ports } }, until);
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  await deployments.create({ metadata: { name: "web" }, spec }, until);
  await available(2);

  say("somebody deletes one of the pods");
  const pods = client.resource(Pod, { namespace });
  const [pod] = (await pods.list({ labelSelector: labels })).items;
  if (pod === undefined) throw new Error("the Deployment has pods, but the list shows none");
  await pods.delete(pod.metadata, until);
  const running = new Set<string>();
  for await (const { type, object } of pods.watch({ labelSelector: labels, sendInitialEvents: true, signal })) {
    if (type === "BOOKMARK") continue;
    const { name } = object.metadata;
    const counts = type !== "DELETED" && name !== pod.metadata.name && object.status?.phase === "Running";
    if (counts) running.add(name);
    else running.delete(name);
    if (running.size === 2) break;
  }

  say("you scale the Deployment to 1");
  await deployments.patch("web", { merge: { spec: { replicas: 1 } } }, until);
  await available(1);
}
