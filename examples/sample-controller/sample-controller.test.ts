/** One suite for both styles, on the embedded server in this process and over HTTPS, and on a real one where there is one. */
import { describe, expect, test } from "vitest";
import { type Client, createLogger, Deployment, Manager, newControllerRef } from "coxswain";
import { ClusterRole, Event, Namespace } from "coxswain/api";
import { startRunning } from "coxswain/base";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { connectAs, newAccount, realTls } from "../testing/account.js";
import { establish, keep, ownNamespace, servers, soon, soonMs } from "../testing/servers.js";
import { deploymentFor } from "./deployment.js";
import { Foo, fooDefinition } from "./foo.js";
import { fooController } from "./high-level.js";
import { styles } from "./styles.js";

for (const { where, skip, open } of servers) {
  for (const [style, run] of Object.entries(styles)) {
    describe.skipIf(skip)(`the ${style} sample controller on ${where}`, () => {
      async function start(): Promise<{ client: Client; namespace: string; lines: readonly string[] }> {
        const client = await open();
        const namespace = ownNamespace("foos");
        await establish(client, fooDefinition());
        await client.resource(Namespace).create({ metadata: { name: namespace } });
        const lines: string[] = [];
        const log = createLogger({ level: "info", format: "text", write: (line) => void lines.push(line) });
        keep(startRunning((signal) => run({ client, log }, signal)));
        return { client, namespace, lines };
      }

      test("makes the Deployment, keeps its size, and shows how many of its pods are available", async () => {
        const { client, namespace } = await start();
        const foos = client.resource(Foo, { namespace });
        const deployments = client.resource(Deployment, { namespace });
        await foos.create({ metadata: { name: "example" }, spec: { deploymentName: "example", replicas: 2 } });
        const made = await deployments.waitFor("example", (now) => now !== undefined, soon());
        expect(made?.metadata.ownerReferences).toMatchObject([{ kind: "Foo", name: "example", controller: true }]);
        expect(made?.spec?.template.spec?.containers[0]?.image).toBe("nginx:latest");

        await deployments.patch("example", { merge: { spec: { replicas: 7 } } });
        await deployments.waitFor("example", (now) => now?.spec?.replicas === 2, soon());

        await deployments.status.patch("example", {
          merge: { status: { replicas: 2, readyReplicas: 2, availableReplicas: 2 } },
        });
        await foos.waitFor("example", (now) => now?.status?.availableReplicas === 2, soon());

        await deployments.delete("example");
        await deployments.waitFor(
          "example",
          (now) => now !== undefined && now.metadata.uid !== made?.metadata.uid,
          soon(),
        );
      });

      test("leaves alone a Deployment that is not its own", async () => {
        const { client, namespace } = await start();
        const foos = client.resource(Foo, { namespace });
        const deployments = client.resource(Deployment, { namespace });
        const other = await foos.create({ metadata: { name: "other" }, spec: {} });
        const taken = deploymentFor({ ...other, spec: { deploymentName: "taken", replicas: 3 } });
        await deployments.create({
          ...taken,
          metadata: { name: "taken", ownerReferences: [newControllerRef(other, Foo)] },
        });
        await foos.create({ metadata: { name: "late" }, spec: { deploymentName: "taken", replicas: 1 } });
        await foos.create({ metadata: { name: "proof" }, spec: { deploymentName: "proof", replicas: 1 } });
        await deployments.waitFor("proof", (now) => now !== undefined, soon());
        expect((await deployments.get("taken")).spec?.replicas).toBe(3);
        const said = async (): Promise<readonly string[]> =>
          (await client.resource(Event, { namespace }).list()).items.map(
            ({ involvedObject, type, reason, message }) => `${involvedObject.name} ${type} ${reason} ${message}`,
          );
        await expect
          .poll(said, { timeout: soonMs })
          .toEqual(
            expect.arrayContaining([
              'late Warning ErrResourceExists Resource "taken" already exists and is not managed by Foo',
              "proof Normal Synced Foo synced successfully",
            ]),
          );
      });

      test("reports a Foo without a deploymentName, once, and goes on", async () => {
        const { client, namespace, lines } = await start();
        const foos = client.resource(Foo, { namespace });
        await foos.create({ metadata: { name: "nameless" }, spec: { replicas: 1 } });
        await foos.create({ metadata: { name: "proof" }, spec: { deploymentName: "proof", replicas: 1 } });
        await foos.waitFor("proof", (now) => now?.status !== undefined, soon());
        const about = lines.filter((line) => line.includes(`${namespace}/nameless`));
        expect(about).toEqual([expect.stringContaining("deploymentName must be specified")]);
      });

      test("refuses what the schema does not allow", async () => {
        const { client, namespace } = await start();
        await expect(
          client
            .resource(Foo, { namespace })
            .create({ metadata: { name: "huge" }, spec: { deploymentName: "huge", replicas: 11 } }),
        ).rejects.toThrow("should be less than or equal to 10");
      });
    });
  }
}

describe.skipIf(!hasRealCluster())("permissions on a real server (needs KUBEBUILDER_ASSETS)", () => {
  test("the role that the manager prints is enough; of a part that is missing it names the rule, and waits for it", async () => {
    const server = await realTls();
    const { admin } = server;
    await establish(admin, fooDefinition());
    const planned = await Manager.create({ client: admin });
    planned.controller(fooController);
    const { rules = [] } = planned.clusterRole("sample-controller");
    const account = await newAccount(server, { rules: rules.filter(({ apiGroups }) => !apiGroups?.includes("apps")) });
    const { namespace, roleName } = account;

    const manager = await Manager.create({ client: await connectAs(account), namespaces: [namespace] });
    manager.controller(fooController);
    keep(manager.start());
    const rule = '{"apiGroups":["apps"],"resources":["deployments"],"verbs":["get","list","watch"]}';
    const problems = (): string => manager.problems().join("\n");
    await expect
      .poll(problems, { timeout: soonMs })
      .toContain(`not allowed to list and watch deployments; missing RBAC rule: ${rule}`);
    // of the other objects, only those are left that have not been filled yet
    await expect.poll(problems, { timeout: soonMs }).not.toContain("foos");
    expect(problems()).toContain(rule);

    await admin.resource(ClusterRole).patch(roleName, { merge: { rules } });
    const foos = admin.resource(Foo, { namespace });
    await foos.create({ metadata: { name: "a" }, spec: { deploymentName: "a-web", replicas: 2 } });
    await foos.waitFor("a", (now) => now?.status?.availableReplicas === 0, soon());
    const events = async (): Promise<readonly string[]> =>
      (await admin.resource(Event, { namespace }).list()).items.map(({ reason }) => reason ?? "");
    await expect.poll(events, { timeout: soonMs }).toContain("Synced");
    await expect.poll(() => manager.problems(), { timeout: soonMs }).toEqual([]);
  });
});
