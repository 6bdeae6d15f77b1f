/** The steps of users, for `simulate`: the operator must come to the same end, whatever fails meanwhile. */
import { installDefinition } from "coxswain";
import { crdOf } from "coxswain/api";
import type { SimulateOptions } from "coxswain/testing";
import { operator } from "./operator.js";
import { Website } from "./website.js";

const simulation: SimulateOptions = {
  operator: ({ client, clock, random }) => operator({ client, clock, random }),
  setup: async ({ client }) => {
    await installDefinition(client, crdOf(Website));
  },
  async scenario({ client, sleep }) {
    const websites = client.resource(Website, { namespace: "default" });
    await websites.create({ metadata: { name: "a" }, spec: { image: "nginx", replicas: 1 } });
    await sleep(1_000);
    await websites.patch("a", { merge: { spec: { replicas: 3 } } });
  },
  seeds: 20,
};

export default simulation;
