/** Two managers that elect a leader by a lease. */
import { ConfigMap } from "../../../src/api/index.js";
import { Manager } from "../../../src/manager/index.js";
import type { SimulateOptions } from "../../../src/testing/index.js";
import { copies } from "../operators.js";
import { namespace } from "./workloads.js";

const subject: SimulateOptions = {
  replicas: 2,
  async operator({ client, clock, random, replica }) {
    const lease = { name: "copies", namespace };
    const leaderElection = { lease, identity: `replica-${replica}` };
    const manager = await Manager.create({ client, clock, random, leaderElection });
    manager.controller(copies);
    return manager;
  },
  async scenario({ client, sleep }) {
    const maps = client.resource(ConfigMap, { namespace });
    for (const name of ["a", "b", "c"]) {
      await maps.create({ metadata: { name }, data: { key: "1" } });
      await sleep(15_000);
    }
    await maps.patch("a", { merge: { data: { key: "2" } } });
  },
};
export default subject;
