/** Faults of the world around: a status is emptied, the server refuses writes, a node fails, a lease is taken. */
import type { KubeObject } from "../../../api/index.js";
import { powerAnnotation } from "../../../machines/index.js";
import { chosen, type FaultKind, placeNamed } from "../fault.js";

const moments = ["write", "time"] as const;

export const statusOverwritten: FaultKind = {
  name: "status-overwritten",
  about:
    "The status of an object of the scenario is lost, as when it is restored from a backup; the operator starts anew.",
  strikesOn: ["time"],
  strike({ choice }, { asked, somebody, startAnew }) {
    somebody(
      "empties a status",
      async (user) => {
        // the status of a definition is the server's own
        const place = chosen(
          asked.filter(({ kind }) => kind !== "CustomResourceDefinition" && kind !== "Namespace"),
          choice,
        );
        const object = place && ((await user.read(place)) as (KubeObject & { readonly status?: object }) | undefined);
        if (place === undefined || object?.status === undefined) return;
        const nothing = Object.fromEntries(Object.keys(object.status).map((key) => [key, null]));
        await user.patch(place, { status: nothing }, "status");
        // an operator need not look at a status that changes, but must not rely on it: a new process sees it lost
        startAnew();
      },
      { afterScenario: true },
    );
    return undefined;
  },
};

export const writesRefused: FaultKind = {
  name: "writes-refused",
  about: "For a while the server refuses every write of the operator, as it does when its rights are gone.",
  strikesOn: moments,
  lasts: [1_000, 120_000],
  strike({ forMs = 1_000 }, { refuseWrites }) {
    refuseWrites({ forMs });
    return undefined;
  },
};

export const kindRefused: FaultKind = {
  name: "kind-refused",
  about: "For a while the server refuses the writes of one kind, as a quota or a webhook does; the others succeed.",
  strikesOn: ["write"],
  lasts: [1_000, 120_000],
  strike({ forMs = 1_000 }, { target, refuseWrites }) {
    if (target === undefined) return undefined;
    refuseWrites({ forMs, resource: target.resource });
    return { type: "answer", code: 403 };
  },
};

/** Pods are evicted from a dead node after this time; one that nobody made a controller for would be gone for good. */
const evictionMs = 240_000;

export const nodeFails: FaultKind = {
  name: "node-fails",
  about: "A node loses its power, and comes back.",
  needs: "node-lifecycle-controller",
  strikesOn: ["time"],
  lasts: [10_000, 900_000],
  strike({ choice, forMs = 10_000 }, { asked, somebody }) {
    somebody("cuts the power of a node", async (user) => {
      const node = chosen(await user.list({ apiVersion: "v1", kind: "Node" }), choice);
      if (node === undefined) return;
      const place = placeNamed(node);
      const hasBarePods = asked.some(({ kind }) => kind === "Pod");
      await user.patch(place, { metadata: { annotations: { [powerAnnotation]: "off" } } });
      await user.sleep(hasBarePods ? Math.min(forMs, evictionMs) : forMs);
      await user.patch(place, { metadata: { annotations: { [powerAnnotation]: null } } });
    });
    return undefined;
  },
};

export const leaseTaken: FaultKind = {
  name: "lease-taken",
  about: "Somebody takes the operator's lease, and lets it run out.",
  fits: ({ hasLeases }) => hasLeases,
  strikesOn: ["time"],
  strike({ choice }, { somebody }) {
    somebody("takes a lease", async (user) => {
      const leases = await user.list({ apiVersion: "coordination.k8s.io/v1", kind: "Lease" });
      const lease = chosen(
        leases.filter(({ metadata }) => metadata.namespace !== "kube-node-lease"),
        choice,
      );
      if (lease === undefined) return;
      await user.patch(placeNamed(lease), { spec: { holderIdentity: "somebody", leaseDurationSeconds: 15 } });
    });
    return undefined;
  },
};
