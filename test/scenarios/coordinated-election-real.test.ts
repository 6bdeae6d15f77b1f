/** Candidates beside the coordinator of a real kube-apiserver: its choice, and the handover of leadership. */
import { describe, expect, test } from "vitest";
import { LeaseCandidate } from "../../src/api/generated/coordination-v1beta1.js";
import { Lease } from "../../src/api/index.js";
import { type Client, connect } from "../../src/client/index.js";
import { LeaderElector, leaseClient } from "../../src/manager/index.js";
import { envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { eventually } from "../eventually.js";

const assets = envtestAssets();
const lease = { namespace: "default", name: "chosen" };
const flags = [
  "--feature-gates=CoordinatedLeaderElection=true",
  "--runtime-config=coordination.k8s.io/v1beta1=true",
] as const;

/** Notes its epochs, and whether anybody else led at the beginning of one. */
function candidate(client: Client, identity: string, emulationVersion: string, others: () => LeaderElector[]) {
  const terms: { readonly epoch: number; readonly alone: boolean }[] = [];
  const elector = new LeaderElector({
    lease,
    identity,
    leases: leaseClient(client, lease),
    coordinated: { binaryVersion: "2.1.0", emulationVersion },
    callbacks: {
      onStartedLeading: ({ epoch }) => void terms.push({ epoch, alone: others().every(({ isLeader }) => !isLeader) }),
    },
  });
  return { elector, terms };
}

describe.skipIf(assets === undefined)(
  "coordinated leader election of a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)",
  () => {
    test("the candidate with the older emulation version is preferred; when it goes, the other leads again", async () => {
      await using server = await startEnvtest({ assets: assets ?? "", flags });
      await using client = await connect({ kubeconfig: server.kubeconfig });
      const newer = candidate(client, "newer", "2.1.0", () => [older.elector]);
      const older = candidate(client, "older", "2.0.0", () => [newer.elector]);
      await using _newer = newer.elector.start();
      await eventually("the only candidate leads", () => newer.elector.isLeader);
      const running = older.elector.start();
      await eventually("the older one leads", () => older.elector.isLeader);
      const { spec } = await client.resource(Lease, { namespace: "default" }).get("chosen");
      expect(spec?.strategy).toBe("OldestEmulationVersion");

      await running.close();
      const candidates = client.resource(LeaseCandidate, { namespace: "default" });
      expect((await candidates.list()).items.map(({ metadata }) => metadata.name)).toEqual(["newer"]);
      await eventually("the newer one leads again", () => newer.elector.isLeader);
      expect([...newer.terms, ...older.terms].filter(({ alone }) => !alone)).toEqual([]);
      expect(older.terms[0]?.epoch).toBeGreaterThan(newer.terms[0]?.epoch ?? 0);
      expect(newer.terms.at(-1)?.epoch).toBeGreaterThan(older.terms.at(-1)?.epoch ?? 0);
    });

    test("without the feature the failure says how to switch it on", async () => {
      await using server = await startEnvtest({ assets: assets ?? "" });
      await using client = await connect({ kubeconfig: server.kubeconfig });
      const { elector } = candidate(client, "a", "2.0.0", () => []);
      await using _running = elector.start();
      await eventually("the candidate cannot be kept", () => elector.candidacyFailure !== undefined);
      expect(String(elector.candidacyFailure)).toContain("--runtime-config=coordination.k8s.io/v1beta1=true");
    });
  },
);
