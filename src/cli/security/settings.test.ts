import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startApiServer } from "../../apiserver/index.js";
import { Lifetime } from "../../base/index.js";
import { securitySettings } from "./settings.js";

test("the files that flags name become options, and a faulty one ends the start with the field's path", async () => {
  await using lifetime = new Lifetime();
  const folder = await mkdtemp(join(tmpdir(), "coxswain-security-"));
  lifetime.defer(() => rm(folder, { recursive: true }));
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const tokenAuthFile = await file("tokens", 't1,jane,u1,"a,b"\n');
  const policy = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: All }]\n";
  const settings = await securitySettings({
    tokenAuthFile,
    auditPolicyFile: await file("policy", policy),
    auditLogPath: join(folder, "log"),
    auditLogMaxsize: 7,
  });
  expect(settings.tokens?.get("t1")).toEqual({ username: "jane", uid: "u1", groups: ["a", "b"] });
  expect(settings.audit).toEqual({ policy, log: { path: join(folder, "log"), maxSizeMb: 7 } });
  await expect(startApiServer(settings)).rejects.toThrow('rules[0].level: Unsupported value: "All"');
  expect(await securitySettings({})).toEqual({});
  await expect(securitySettings({ tokenAuthFile: join(folder, "none") })).rejects.toThrow("ENOENT");
});

test("the kubeconfig of a webhook gives its address and credentials", async () => {
  await using lifetime = new Lifetime();
  const folder = await mkdtemp(join(tmpdir(), "coxswain-security-"));
  lifetime.defer(() => rm(folder, { recursive: true }));
  const [kubeconfig, policy] = [join(folder, "kubeconfig"), join(folder, "policy")];
  await writeFile(policy, "any");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    clusters: [{ name: "hook", cluster: { server: "https://127.0.0.1:1/audit" } }],
    users: [{ name: "u", user: { token: "secret" } }],
    contexts: [{ name: "c", context: { cluster: "hook", user: "u" } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  const flags = { auditPolicyFile: policy, auditWebhookConfigFile: kubeconfig };
  const endpoint = { url: "https://127.0.0.1:1/audit", token: "secret" };
  expect((await securitySettings(flags)).audit?.webhook).toEqual({ endpoint });
  const batches = { ...flags, auditWebhookBatchMaxSize: 7, auditWebhookInitialBackoff: "1m" };
  const webhook = { endpoint, maxBatchSize: 7, initialBackoffMs: 60_000 };
  expect((await securitySettings(batches)).audit?.webhook).toEqual(webhook);
  await expect(securitySettings({ ...flags, auditWebhookInitialBackoff: "soon" })).rejects.toThrow(
    "--audit-webhook-initial-backoff=soon is no duration",
  );
});
