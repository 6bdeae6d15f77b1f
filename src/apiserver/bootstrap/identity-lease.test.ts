import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { Lease } from "../../api/index.js";
import { FakeClock } from "../../base/index.js";
import { hasRealCluster, realCluster } from "../../testing/shared-envtest.js";
import { ask } from "../../../test/ask.js";
import { connect } from "../../client/index.js";
import { startApiServer } from "../server.js";
import { leaseName } from "./identity-lease.js";

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const identity = "apiserver.kubernetes.io/identity";

describe("the server's own lease", () => {
  test("is renewed while the server runs", async () => {
    const clock = new FakeClock();
    await using server = await startApiServer({ clock, systemObjects: "at once", authorization: "AlwaysAllow" });
    const path = `${leases}/${leaseName(hostname())}`;
    await clock.advance(1);
    const first = await ask(server, "GET", path);
    expect(first).toMatchObject({
      metadata: { labels: { [identity]: "kube-apiserver", "kubernetes.io/hostname": hostname() } },
      spec: {
        leaseDurationSeconds: 3_600,
        holderIdentity: expect.stringMatching(`^${leaseName(hostname())}_`) as string,
      },
    });
    await clock.advance(10_000);
    const second = await ask(server, "GET", path);
    expect(second.spec.renewTime > first.spec.renewTime).toBe(true);
    expect(second.spec.holderIdentity).toBe(first.spec.holderIdentity);
  });

  test("those of servers that have gone are deleted after an hour, and no others", async () => {
    const clock = new FakeClock();
    await using server = await startApiServer({ clock, systemObjects: "at once", authorization: "AlwaysAllow" });
    const lease = (name: string, labels: object, spec: object) =>
      ask(server, "POST", leases, { metadata: { name, labels }, spec });
    const old = { leaseDurationSeconds: 1, renewTime: "2001-01-01T00:00:00.000000Z", holderIdentity: "x" };
    await lease("gone", { [identity]: "kube-apiserver" }, old);
    await lease("timeless", { [identity]: "kube-apiserver" }, {});
    await lease("another", { [identity]: "sample-apiserver" }, old);
    await clock.advance(3_600_000);
    const left = await ask(server, "GET", leases);
    expect(left.items.map(({ metadata }: Lease) => metadata.name)).toEqual(["another", leaseName(hostname())]);
  });

  test.skipIf(!hasRealCluster())(
    "has the name that a real kube-apiserver of this machine gives its own (skipped where KUBEBUILDER_ASSETS is not set)",
    async () => {
      const { kubeconfig } = await realCluster();
      await using client = await connect({ kubeconfig });
      const real = await client.resource(Lease, { namespace: "kube-system" }).list({ labelSelector: identity });
      expect(real.items.map(({ metadata }) => [metadata.name, metadata.labels])).toEqual([
        [leaseName(hostname()), { [identity]: "kube-apiserver", "kubernetes.io/hostname": hostname() }],
      ]);
    },
  );
});
