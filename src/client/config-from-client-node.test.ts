import { expect, test } from "vitest";
import { resolveAccess } from "./config/resolve.js";
import { fromClientNode } from "./config-from-client-node.js";

const cluster = { name: "c", server: "https://a", skipTLSVerify: true, caData: undefined as unknown as string };
const contexts = [{ name: "x", cluster: "c", user: "u", namespace: "n" }];

test("a KubeConfig of client-node is taken over, with its user and without printing secrets", () => {
  const users = [{ name: "u", token: "hush", impersonateUser: "jane" }];
  const config = fromClientNode({ currentContext: "x", clusters: [cluster], users, contexts });
  const access = resolveAccess(config, "KubeConfig");
  expect(access).toMatchObject({ namespace: "n", insecureSkipTlsVerify: true, impersonate: { user: "jane" } });
  expect(access.server.href).toBe("https://a/");
  expect(access.token?.reveal()).toBe("hush");
  expect(JSON.stringify(config)).not.toContain("hush");
});

test("what is wrong with it is said as with a file", () => {
  const users = [{ name: "u", exec: { command: "login" } }];
  const config = fromClientNode({ currentContext: "x", clusters: [cluster], users, contexts });
  expect(() => resolveAccess(config, "KubeConfig")).toThrow("users[u].user.exec.apiVersion: is missing");
});
