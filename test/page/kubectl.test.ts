/** A Deployment's life by the hand of kubectl, seen at each station of the page. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { envtestAssets } from "../../src/testing/envtest.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { shown } from "./browser.js";
import { type ControlPlane, startControlPlane } from "./control-plane.js";
import { describeInBrowser } from "./rig.js";

describeInBrowser("what kubectl does is seen", ({ look }) => {
  describe.skipIf(!hasRealCluster())("(skipped where KUBEBUILDER_ASSETS is not set)", () => {
    let plane: ControlPlane;

    beforeAll(async () => {
      plane = await startControlPlane();
    });

    afterAll(() => plane[Symbol.asyncDispose]());

    async function kubectl(...args: readonly string[]): Promise<void> {
      const path = join(envtestAssets() as string, "kubectl");
      await promisify(execFile)(path, ["--kubeconfig", plane.kubeconfig, ...args]);
    }

    async function apply(object: object): Promise<void> {
      const path = join(envtestAssets() as string, "kubectl");
      const running = promisify(execFile)(path, ["--kubeconfig", plane.kubeconfig, "apply", "--filename", "-"]);
      running.child.stdin?.end(JSON.stringify(object));
      await running;
    }

    test("create, scale, break, heal and delete move each station, from the reflector to the workers", async () => {
      const tab = await look(plane.pageUrl);
      const deployments = '[data-lane="apps/v1/deployments"]';
      const pods = '[data-lane="v1/pods"]';
      const runs = async (): Promise<number> => {
        const title = await tab.locator('[data-controller="deployment"] .runs').getAttribute("title");
        return Number(/^\d+/.exec(title ?? "")?.[0]);
      };
      const events = async (): Promise<string> =>
        (await tab.locator(`${deployments} .phase small`).textContent()) ?? "";
      await shown(tab, `${deployments} .phase`, "watching");
      const [revision, before] = [await events(), await runs()];

      await kubectl("create", "deployment", "web", "--image=nginx", "--replicas=2");
      await shown(tab, `${deployments} .indexer b`, /^1$/);
      await shown(tab, `${pods} .indexer b`, /^2$/);
      await shown(tab, `${pods} .listeners small`, /\d/);
      await shown(tab, ".recent li .key", "default/web");
      await expect.poll(events).not.toBe(revision);
      await expect.poll(runs).toBeGreaterThan(before);

      await kubectl("scale", "deployment", "web", "--replicas=4");
      await shown(tab, `${pods} .indexer b`, /^4$/);

      await tab.locator(".find").fill("default/web");
      await shown(tab, ".recent h2", "The way of default/web");
      await shown(tab, ".recent li .times", /watch .* → queue .* → run/);
      await shown(tab, `${deployments}.lit .kind`, "Deployment");
      await tab.locator('[data-controller="deployment"].lit').waitFor();
      expect(await tab.locator('[data-controller="cronjob"]').count()).toBe(0);

      await tab.goto(`${plane.pageUrl}#/cluster`);
      await shown(tab, ".rollout", /web.*4\/4 ready/s);
      const annotations = { "coxswain.dev/image-pull": "fail" };
      const patch = { spec: { template: { metadata: { annotations } } } };
      await kubectl("patch", "deployment", "web", "--patch", JSON.stringify(patch));
      await tab.locator(".node .pod.bad").first().waitFor();
      await shown(tab, ".rollout", /of 4 new/);
      await tab.locator(".node .pod.bad").first().click();
      await shown(tab, ".story-list", "Failed");

      await kubectl("rollout", "undo", "deployment/web");
      await tab.goto(`${plane.pageUrl}#/why?kind=Deployment&name=web`);
      await shown(tab, ".subject .state", "4/4 ready");
      await shown(tab, ".yaml-line .manager", "kubectl");
      await shown(tab, ".chain-names", "replicaset");
      await tab.goto(`${plane.pageUrl}#/cluster`);
      await expect.poll(() => tab.locator(".node .pod.good").count()).toBe(4);
      await tab.locator(".node .pod.bad").first().waitFor({ state: "detached" });

      await kubectl("delete", "deployment", "web");
      await shown(tab, ".node", /node-1/);
      await expect.poll(() => tab.locator(".node .pod").count()).toBe(0);
    });

    test("objects of a custom kind have the columns of their definition, and their history", async () => {
      const tab = await look(`${plane.pageUrl}#/cluster?tab=objects`);
      const definition = {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "boats.example.com" },
        spec: {
          group: "example.com",
          scope: "Namespaced",
          names: { kind: "Boat", plural: "boats", singular: "boat" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
              additionalPrinterColumns: [{ name: "Crew", type: "integer", jsonPath: ".spec.crew" }],
            },
          ],
        },
      };
      await apply(definition);
      await tab.locator(".kinds a").filter({ hasText: "Boat" }).click();
      const boat = { apiVersion: "example.com/v1", kind: "Boat", metadata: { name: "argo", namespace: "default" } };
      await apply({ ...boat, spec: { crew: 50 } });
      await shown(tab, ".table-row.head", "Crew");
      await shown(tab, ".table-row", /argo\s*50/);
      await kubectl("patch", "boat", "argo", "--type=merge", "--patch", JSON.stringify({ spec: { crew: 51 } }));
      await tab.locator(".table-row a").filter({ hasText: "argo" }).click();
      await shown(tab, ".changes", /spec\.crew\s*50\s*→\s*51/);
      await shown(tab, ".story-list", "kubectl-patch");
    });
  });
});
