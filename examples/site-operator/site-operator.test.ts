import { installDefinition } from "coxswain";
import { silentLogger } from "coxswain/base";
import { checkRoundTrip, startCluster } from "coxswain/testing";
import { expect, test } from "vitest";
import { demo } from "./demo.js";
import { siteManager } from "./operator.js";
import { Site, siteDefinition } from "./site.js";

test("no conversion loses anything", () => {
  checkRoundTrip(Site, { texts: ["blog.example.com:80", "x:8080"] });
});

test("the demonstration", async () => {
  await using cluster = await startCluster({ controllers: ["*"], nodes: 1 });
  await installDefinition(cluster.client, siteDefinition());
  await using _operator = siteManager({ client: cluster.client, log: silentLogger, port: 0 }).start();
  const lines: string[] = [];
  await demo(cluster.client, (line) => lines.push(line), AbortSignal.timeout(120_000));
  expect(lines.filter((line) => !line.startsWith("you "))).toEqual([
    "as v1 it has hosts blog.example.com, port 8080 and, filled in, 1 replica",
    "the operator, which knows only v1, has made its Deployment",
    'v1alpha1 has no field for it, and keeps it: {"sites.example.com/more-hosts":"[\\"www.example.com\\"]"}',
    expect.stringContaining(
      'admission webhook "validate.sites.sites.example.com" denied the request: Site.sites.example.com "blog" is invalid: [spec.hosts[1]: Duplicate value: "a", spec.port: Forbidden: the port is fixed]',
    ),
  ]);
});
