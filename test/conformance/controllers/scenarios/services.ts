/** Services: slices, endpoints, their mirrors: scenarios that are played with our controllers and with the real ones. */
import { Deployment, Endpoints, EndpointSlice, Pod, Service } from "../../../../src/api/index.js";
import type { Scenario, Stage } from "../scenario.js";
import { deployment, hasRolledOut, type TemplateOptions } from "./shapes.js";

const web: TemplateOptions = {
  spec: {
    containers: [
      {
        name: "c",
        image: "one",
        ports: [
          { name: "http", containerPort: 8080 },
          { name: "admin", containerPort: 9090 },
        ],
      },
    ],
  },
};

async function backends(stage: Stage, replicas = 2, options: TemplateOptions = web): Promise<void> {
  await stage.create(Deployment, deployment({ replicas }, options));
  if (options.life?.["ready"] === undefined) await stage.until(Deployment, "web", hasRolledOut);
  else await stage.untilPods("app=a", (pods) => pods.every(({ status }) => status?.phase === "Running"));
}

const service = (spec: NonNullable<Service["spec"]> = {}) => ({
  metadata: { name: "web", labels: { team: "x" } },
  spec: { selector: { app: "a" }, ports: [{ name: "http", port: 80, targetPort: "http" }], ...spec },
});

export const services: readonly Scenario[] = [
  {
    name: "service-named-ports",
    async run(stage) {
      await backends(stage);
      const ports = [
        { name: "http", port: 80, targetPort: "http" },
        { name: "admin", port: 81, targetPort: 9090, appProtocol: "http" },
      ];
      await stage.create(Service, service({ ports }));
      await stage.checkpoint("created");
      await stage.patch(Deployment, "web", { spec: { replicas: 1 } });
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.checkpoint("small");
      await stage.patch(Service, "web", { metadata: { labels: { team: "y" } }, spec: { selector: { app: "none" } } });
      await stage.checkpoint("nobody");
      await stage.of(Service).delete("web");
      await stage.gone(Endpoints, "web");
    },
  },
  {
    name: "service-headless",
    async run(stage) {
      await stage.create(Service, service({ clusterIP: "None" }));
      await stage.checkpoint("empty");
      await backends(stage, 2, { spec: { ...web.spec, hostname: "h", subdomain: "web" } });
    },
  },
  {
    name: "service-headless-no-ports",
    async run(stage) {
      await backends(stage, 1);
      await stage.create(Service, { metadata: { name: "web" }, spec: { clusterIP: "None", selector: { app: "a" } } });
    },
  },
  {
    name: "service-unready",
    async run(stage) {
      await backends(stage, 2, { ...web, life: { ready: "false" } });
      await stage.create(Service, service());
      await stage.checkpoint("unready");
      const [first] = await stage.pods();
      await stage.patch(Pod, first?.metadata.name ?? "", { metadata: { annotations: { "coxswain.dev/ready": null } } });
      await stage.checkpoint("one ready");
      await stage.patch(Service, "web", { spec: { publishNotReadyAddresses: true } });
    },
  },
  {
    name: "service-no-such-port",
    async run(stage) {
      await backends(stage, 1);
      await stage.create(Service, service({ ports: [{ port: 80, targetPort: "nothing" }] }));
    },
  },
  {
    name: "service-without-selector",
    async run(stage) {
      await stage.create(Service, { metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } });
      await stage.create(Service, {
        metadata: { name: "far" },
        spec: { type: "ExternalName", externalName: "example.com" },
      });
      await stage.create(Endpoints, {
        metadata: { name: "web", labels: { mine: "yes" } },
        subsets: [
          {
            addresses: [{ ip: "192.0.2.1" }, { ip: "192.0.2.2", hostname: "two" }],
            notReadyAddresses: [{ ip: "192.0.2.3" }],
            ports: [{ port: 8080, name: "p" }],
          },
        ],
      });
      await stage.checkpoint("mirrored");
      await stage.patch(Endpoints, "web", { subsets: [{ addresses: [{ ip: "192.0.2.9" }], ports: [{ port: 8080 }] }] });
      await stage.checkpoint("changed");
      await stage.of(Endpoints).delete("web");
    },
  },
  {
    name: "service-repaired",
    async run(stage) {
      await backends(stage, 1);
      await stage.create(Service, service());
      await stage.quiet();
      const { items } = await stage.of(EndpointSlice).list();
      await stage.of(EndpointSlice).delete(items[0]?.metadata.name ?? "");
      await stage.of(Endpoints).delete("web");
    },
  },
  {
    name: "service-made-anew",
    async run(stage) {
      await backends(stage, 1);
      await stage.create(Service, service());
      await stage.quiet();
      await stage.of(Service).delete("web");
      await stage.create(Service, service());
    },
  },
  {
    name: "service-near",
    async run(stage) {
      await backends(stage, 2);
      await stage.create(Service, service({ trafficDistribution: "PreferSameNode" }));
      await stage.checkpoint("same node");
      await stage.patch(Service, "web", { spec: { trafficDistribution: "PreferSameZone" } });
      await stage.checkpoint("same zone");
      await stage.patch(Service, "web", { spec: { trafficDistribution: null } });
    },
  },
  {
    name: "service-said-headless",
    async run(stage) {
      const labels = { "service.kubernetes.io/headless": "", team: "x" };
      await stage.create(Service, { ...service(), metadata: { name: "web", labels } });
    },
  },
  {
    name: "service-different-ports",
    async run(stage) {
      for (const [name, containerPort] of [
        ["one", 8080],
        ["two", 8081],
      ] as const) {
        const ports = [{ name: "http", containerPort }];
        await stage.create(Pod, {
          metadata: { name, labels: { app: "a" } },
          spec: { containers: [{ name: "c", image: "i", ports }] },
        });
      }
      await stage.untilPods("app=a", (pods) => pods.every(({ status }) => status?.phase === "Running"));
      await stage.create(Service, service());
      await stage.checkpoint("created");
      await stage.of(Pod).status.patch("one", {
        strategic: { status: { phase: "Succeeded", conditions: [{ type: "Ready", status: "False" }] } },
      });
    },
  },
];
