/** A Deployment of one small container, for tests of the page. */
import type { Deployment, Draft } from "../../src/api/index.js";

export const deployment = (name: string, replicas: number, cpu = "10m"): Draft<Deployment> => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "c", image: "nginx", resources: { requests: { cpu } } }] },
    },
  },
});
