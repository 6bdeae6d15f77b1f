/** The examples as they are shipped, each with users who ask for something and change their minds. */
import { Fabric } from "../../../examples/network-controller/fabric.js";
import { runNetworkController } from "../../../examples/network-controller/controller.js";
import { Network, networkDefinition } from "../../../examples/network-controller/network.js";
import { watchShared } from "../../../examples/pod-service-watcher/shared.js";
import { Foo, fooDefinition } from "../../../examples/sample-controller/foo.js";
import { fooController } from "../../../examples/sample-controller/high-level.js";
import { siteController } from "../../../examples/site-operator/operator.js";
import { Site, siteDefinition } from "../../../examples/site-operator/site.js";
import { type CustomResourceDefinition, Pod, Service } from "../../../src/api/index.js";
import { startRunning } from "../../../src/base/index.js";
import { installDefinition } from "../../../src/client/index.js";
import { allFaults, type SimulateOptions } from "../../../src/testing/index.js";
import { managerWith } from "../operators.js";
import { namespace } from "./workloads.js";

const installs =
  (definition: CustomResourceDefinition): NonNullable<SimulateOptions["setup"]> =>
  async ({ client }) =>
    void (await installDefinition(client, definition));

export const sample: SimulateOptions = {
  setup: installs(fooDefinition()),
  operator: (tools) => managerWith(tools, fooController),
  async scenario({ client, sleep }) {
    const foos = client.resource(Foo, { namespace });
    for (const name of ["a", "b"])
      await foos.create({ metadata: { name }, spec: { deploymentName: `${name}-web`, replicas: 1 } });
    await sleep(2_000);
    await foos.patch("a", { merge: { spec: { replicas: 2 } } });
    await sleep(2_000);
  },
  // as its model does, it keeps the old Deployment when spec.deploymentName changes
  faults: allFaults.filter(({ name }) => !name.startsWith("asked-")),
};

export const network: SimulateOptions = {
  setup: installs(networkDefinition()),
  operator: ({ client, clock, log }) =>
    startRunning((signal) => {
      const recorder = { normal: () => {}, warning: () => {} };
      return runNetworkController({ client, fabric: new Fabric(), recorder, log, clock }, signal);
    }),
  async scenario({ client, sleep }) {
    const networks = client.resource(Network, { namespace });
    await networks.create({ metadata: { name: "blue" }, spec: { cidr: "10.0.0.0/16", gateway: "10.0.0.1" } });
    await sleep(2_000);
    await networks.create({ metadata: { name: "green" }, spec: { cidr: "10.0.7.0/24", gateway: "10.0.7.1" } });
    await sleep(2_000);
    await networks.delete("blue");
    await sleep(2_000);
  },
};

/** An operator that only watches, and writes nothing. */
export const watcher: SimulateOptions = {
  operator: ({ client }) => startRunning((signal) => watchShared(client, () => {}, signal)),
  async scenario({ client, sleep }) {
    const labels = { app: "web" };
    const containers = [{ name: "web", image: "web:1" }];
    const pods = client.resource(Pod, { namespace });
    await pods.create({ metadata: { name: "a", labels }, spec: { containers } });
    await client
      .resource(Service, { namespace })
      .create({ metadata: { name: "web" }, spec: { selector: labels, ports: [{ port: 80 }] } });
    await sleep(1_000);
    await pods.delete("a");
  },
};

/** The controller of the site operator alone: its webhooks need a network. */
export const site: SimulateOptions = {
  setup: installs(siteDefinition()),
  operator: (tools) => managerWith(tools, siteController),
  async scenario({ client, sleep }) {
    const sites = client.resource(Site, { namespace });
    await sites.create({ metadata: { name: "a" }, spec: { hosts: ["a.example"], port: 80, replicas: 1 } });
    await sleep(2_000);
    await sites.patch("a", { merge: { spec: { hosts: ["a.example", "b.example"] } } });
    await sleep(2_000);
  },
};
