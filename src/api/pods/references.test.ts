import { expect, test } from "vitest";
import type { Pod } from "../generated/core-v1.js";
import { secretsOf } from "./references.js";

test("a pod names Secrets in volumes, variables and for its images", () => {
  const spec = {
    imagePullSecrets: [{ name: "pull" }],
    initContainers: [{ name: "i", envFrom: [{ secretRef: { name: "all" } }] }],
    containers: [{ name: "c", env: [{ name: "A", valueFrom: { secretKeyRef: { name: "one", key: "k" } } }] }],
    volumes: [
      { name: "v", secret: { secretName: "volume" } },
      { name: "p", projected: { sources: [{ secret: { name: "projected" } }] } },
      { name: "n", csi: { driver: "d", nodePublishSecretRef: { name: "csi" } } },
    ],
  };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec } as Pod;
  expect([...secretsOf(pod)].toSorted()).toEqual(["all", "csi", "one", "projected", "pull", "volume"]);
});
