import { expect, test } from "vitest";
import { Node, Pod } from "../../api/index.js";
import { FakeClock, Lifetime } from "../../base/index.js";
import { Client } from "../../client/index.js";
import { startTestServer } from "../../testing/cluster.js";
import { startExtender } from "../../../test/conformance/scheduler/extender.js";
import type { ExtenderConfiguration } from "../configuration/types.js";
import { startScheduler } from "../start-scheduler.js";

/** The nodes n1 and n2, and one pod with these labels: its node, or the message about it. */
async function placed(labels: Readonly<Record<string, string>>, more: ExtenderConfiguration = {}): Promise<string> {
  await using lifetime = new Lifetime();
  const clock = new FakeClock();
  const server = lifetime.use(await startTestServer({ clock }));
  const client = lifetime.use(new Client({ transport: server.transport(), clock }));
  const { url: urlPrefix } = lifetime.use(await startExtender(() => client));
  const extender = { urlPrefix, filterVerb: "filter", prioritizeVerb: "prioritize", weight: 5, ...more };
  const scheduler = lifetime.use(startScheduler({ client, clock, configuration: { extenders: [extender] } }));
  await clock.passUntil(scheduler.started);
  for (const name of ["n1", "n2"]) {
    const allocatable = { cpu: name === "n1" ? "64" : "2", memory: "8Gi", pods: "9" };
    await client.resource(Node).create({ metadata: { name }, status: { allocatable } });
    const node = await client.resource(Node).get(name);
    await client.resource(Node).update({ ...node, spec: {} });
  }
  const containers = [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }];
  await client
    .resource(Pod, { namespace: "default" })
    .create({ metadata: { name: "p", labels }, spec: { containers } });
  let text = "";
  while (text === "") {
    await clock.advance(100);
    const { spec, status } = await client.resource(Pod, { namespace: "default" }).get("p");
    text = spec?.nodeName ?? status?.conditions?.find(({ type }) => type === "PodScheduled")?.message ?? "";
  }
  await clock.passUntil(lifetime[Symbol.asyncDispose]());
  return text.replace(urlPrefix, "URL");
}

test.each<[string, Readonly<Record<string, string>>, ExtenderConfiguration, RegExp]>([
  ["without a wish, the emptier node is taken", {}, {}, /^n1$/],
  ["a node that the extender refuses is not taken", { refuse: "n1" }, {}, /^n2$/],
  ["a node that the extender prefers is taken", { like: "n2" }, { nodeCacheCapable: true }, /^n2$/],
  [
    "if all nodes are refused, the pod tells why",
    { refuse: "n1", never: "n2" },
    {},
    /1 the extender says never, 1 the extender says no/,
  ],
  ["an extender that fails fails the attempt", { fault: "broken" }, {}, /^broken$/],
  ["an extender that may fail is left out", { fault: "broken" }, { ignorable: true }, /^n1$/],
  [
    "an answer with an error status is named",
    {},
    { filterVerb: "missing" },
    /^failed missing with extender at URL URL\/missing, code 500$/,
  ],
  ["an extender may bind", { like: "n2" }, { bindVerb: "bind" }, /^n2$/],
  [
    "pods without its resource are none of its business",
    { refuse: "n1" },
    { managedResources: [{ name: "x.y/z" }] },
    /^n1$/,
  ],
  [
    "an extender that is not there is named",
    {},
    { urlPrefix: "http://127.0.0.1:1" },
    /^Post "http:\/\/127.0.0.1:1\/filter": dial tcp 127.0.0.1:1: connect: connection refused$/,
  ],
])("%s", async (_name, labels, more, expected) => {
  expect(await placed(labels, more)).toMatch(expected);
});
