/** Plays users of two generations and prints, line by line, how server and operator answer. */
import { type Client, Deployment, installDefinition, isNotFound } from "coxswain";
import { Site, siteDefinition, SiteV1alpha1 } from "./site.js";

/** The refusal's message; the empty text if there was none. */
const refusal = (writing: Promise<unknown>): Promise<string> =>
  writing.then(
    () => "",
    (error: Error) => error.message,
  );

export async function demo(client: Client, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const namespace = "default";
  const sites = client.resource(Site, { namespace });
  const old = client.resource(SiteV1alpha1, { namespace });
  const until = { signal };
  await installDefinition(client, siteDefinition(), until);
  const doubled = { metadata: { name: "probe" }, spec: { hosts: ["a", "a"], port: 80 } };
  // the webhooks are asked a moment after the operator has started
  while ((await refusal(sites.create(doubled, { ...until, dryRun: true }))) === "")
    await client.clock.sleep(100, signal);

  say("you create a Site as v1alpha1 knows it: blog.example.com:8080, without a number of replicas");
  await old.create({ metadata: { name: "blog" }, spec: { address: "blog.example.com:8080" } }, until);
  const { spec } = await sites.get("blog", until);
  say(`as v1 it has hosts ${spec.hosts.join(", ")}, port ${spec.port} and, filled in, ${spec.replicas} replica`);
  await client.resource(Deployment, { namespace }).waitFor("blog", (one) => one !== undefined, until);
  say("the operator, which knows only v1, has made its Deployment");

  say("you add a second host as v1");
  await sites.patch("blog", { merge: { spec: { hosts: ["blog.example.com", "www.example.com"] } } }, until);
  const { metadata } = await old.get("blog", until);
  say(`v1alpha1 has no field for it, and keeps it: ${JSON.stringify(metadata.annotations)}`);

  say("you give a host twice, and another port");
  say(await refusal(sites.patch("blog", { merge: { spec: { hosts: ["a", "a"], port: 9090 } } }, until)));

  await sites.delete("blog", until).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
