/** A service account with a role of its own, as in a pod: a token, a certificate and an address. For tests of permissions. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type Client, connect } from "coxswain";
import { ClusterRole, ClusterRoleBinding, Namespace, ServiceAccount, SubjectAccessReview } from "coxswain/api";
import { startTestServer } from "../../src/testing/cluster.js";
import { realCluster } from "../../src/testing/shared-envtest.js";
import { keep, ownNamespace, soonMs } from "./servers.js";

/** A server over TLS. */
export interface TlsServer {
  readonly admin: Client;
  /** The administrator's file. */
  readonly kubeconfig: string;
  readonly url: URL;
  /** PEM. */
  readonly ca: string;
}

export async function embeddedTls(): Promise<TlsServer> {
  const server = keep(await startTestServer({ systemObjects: true }));
  const listener = keep(await server.listen({ address: "127.0.0.1", port: 0 }));
  const kubeconfig = join(await temporaryFolder(), "kubeconfig");
  await writeFile(kubeconfig, listener.kubeconfig, { mode: 0o600 });
  const admin = keep(await connect({ kubeconfig }));
  return { admin, kubeconfig, url: new URL(listener.url), ca: listener.authority ?? "" };
}

export async function realTls(): Promise<TlsServer> {
  const { kubeconfig, url, ca } = await realCluster();
  return { admin: keep(await connect({ kubeconfig })), kubeconfig, url: new URL(url), ca };
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-example-"));
  keep({ [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) });
  return folder;
}

/** The surroundings of a pod with this account. */
export interface Account {
  readonly namespace: string;
  /** The folder that would be mounted into the pod. */
  readonly serviceAccount: string;
  readonly env: Readonly<Record<string, string>>;
}

/** An account with a ClusterRole of its own. */
export interface NewAccount extends Account {
  readonly user: string;
  readonly roleName: string;
}

/** In a new namespace; its role and binding have the namespace's name. */
export async function newAccount(server: TlsServer, role: Pick<ClusterRole, "rules">): Promise<NewAccount> {
  const { admin } = server;
  const namespace = ownNamespace("account");
  const name = "controller";
  await admin.resource(Namespace).create({ metadata: { name: namespace } });
  await admin.resource(ServiceAccount, { namespace }).create({ metadata: { name } });
  const rules = role.rules ?? [];
  await admin.resource(ClusterRole).create({ metadata: { name: namespace }, rules });
  await admin.resource(ClusterRoleBinding).create({
    metadata: { name: namespace },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: namespace },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  });
  const user = `system:serviceaccount:${namespace}:${name}`;
  const [{ apiGroups, resources, verbs } = { verbs: [] }] = rules;
  const attributes = { group: apiGroups?.[0] ?? "", resource: resources?.[0] ?? "", verb: verbs[0] ?? "", namespace };
  const isAllowed = async (): Promise<boolean> => {
    const spec = { user, resourceAttributes: attributes };
    const { status } = await admin.resource(SubjectAccessReview).create({ metadata: {}, spec } as never);
    return status?.allowed === true;
  };
  // a real server's authorizer learns of the role a moment later
  if (rules.length > 0) await expect.poll(isAllowed, { timeout: soonMs }).toBe(true);
  return { ...(await mountedAccount(server, { name, namespace })), user, roleName: namespace };
}

/** The surroundings of a pod with an account that exists. */
export async function mountedAccount(
  { admin, url, ca }: TlsServer,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<Account> {
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } };
  const answer = await admin
    .resource(ServiceAccount, { namespace })
    .subresource("token")
    .create<{ readonly status: { readonly token: string } }>(name, request);
  const serviceAccount = await temporaryFolder();
  await writeFile(join(serviceAccount, "token"), answer.status.token);
  await writeFile(join(serviceAccount, "ca.crt"), ca);
  await writeFile(join(serviceAccount, "namespace"), namespace);
  const env = { KUBERNETES_SERVICE_HOST: url.hostname, KUBERNETES_SERVICE_PORT: url.port };
  return { namespace, serviceAccount, env };
}

/** Like `connect()` without options in a pod. */
export async function connectAs({ env, serviceAccount }: Account): Promise<Client> {
  return keep(await connect({ surroundings: { env, home: serviceAccount, serviceAccount } }));
}
