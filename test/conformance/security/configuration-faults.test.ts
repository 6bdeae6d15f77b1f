/** Faulty configuration files beside a real kube-apiserver, which names all faults of a file and ends. */
import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startApiServer } from "../../../src/apiserver/index.js";
import { Lifetime } from "../../../src/base/index.js";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { patienceMs } from "../../eventually.js";

const authentication = {
  "issuers and claims": `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: http://user@x/?a=b#c
    discoveryURL: https://x
    audiences: [a, a, ""]
    certificateAuthority: nonsense
  claimMappings:
    username: {claim: sub}
    groups: {claim: a, expression: claims.b}
    uid: {claim: a, expression: b}
    extra:
    - {key: Foo, valueExpression: ""}
    - {key: k8s.io/x, valueExpression: claims.}
    - {key: a.kubernetes.io/x, valueExpression: "1"}
    - {key: a.b/x, valueExpression: "1"}
    - {key: a.b/x, valueExpression: "1"}
    - {key: A.b/x, valueExpression: "1"}
  claimValidationRules:
  - {claim: a, expression: b}
  - {}
  - {claim: a, message: x}
  - {claim: a}
  - {expression: claims.a, requiredValue: x}
  - {expression: "claims.a == 1"}
  - {expression: "claims.a == 1"}
  userValidationRules:
  - {}
  - {expression: user.nothing}
  - {expression: "1"}
  - {expression: "user.username == ''"}
  - {expression: "user.username == ''"}
- issuer: {url: "", audiences: [], egressSelectorType: x}
  claimMappings:
    username: {expression: claims.email}
- issuer: {url: "https://a", discoveryURL: "https://a/", audiences: [x], audienceMatchPolicy: Some}
  claimMappings:
    username: {prefix: x}
- issuer: {url: "https://a", discoveryURL: "https://a/", audiences: [x, z]}
  claimMappings:
    username: {expression: "claims.sub", prefix: x}
- issuer: {url: "https://b", audiences: [x]}
  claimMappings:
    username: {expression: "claims.?email.orValue('')"}
    extra: [{key: a.b/c, valueExpression: "claims.?email_verified.orValue(false) ? 'a' : ''"}]
anonymous: {enabled: false, conditions: [{path: /a}]}
`,
  "a field without a meaning": `
apiVersion: apiserver.config.k8s.io/v1beta1
kind: AuthenticationConfiguration
jwt:
- issuer: {url: "https://b", audiences: [x], audience: y}
  claimMappings: {username: {claim: a, prefix: ""}}
`,
} as const;

const authorization = {
  authorizers: `
apiVersion: apiserver.config.k8s.io/v1beta1
kind: AuthorizationConfiguration
authorizers:
- {}
- {type: Some, name: x}
- {type: RBAC, name: ""}
- {type: RBAC, name: rbac}
- {type: Node, name: "not good", webhook: {timeout: 1s}}
- {type: Webhook, name: none}
- type: Webhook
  name: faulty
  webhook:
    timeout: 40s
    authorizedTTL: -1s
    unauthorizedTTL: -2m
    subjectAccessReviewVersion: v2
    matchConditionSubjectAccessReviewVersion: v1beta1
    failurePolicy: Maybe
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: relative}
    matchConditions: [{expression: ""}, {expression: request.nothing}, {expression: "1"}, {expression: request.user == ''}, {expression: request.user == ''}]
- type: Webhook
  name: faulty
  webhook:
    connectionInfo: {}
    matchConditions: [{expression: "true"}]
- type: Webhook
  name: fourth
  webhook: {timeout: 3s, subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: KubeConfigFile}}
`,
  "no authorizers": "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n",
  "wrong names": `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers: [{type: RBAC, name: roles}, {type: Node, name: node}, {type: AlwaysDeny, name: deny}]
`,
} as const;

test.skipIf(envtestAssets() === undefined)(
  "the faults of a configuration file are those that a real server names, in its words",
  async () => {
    await using lifetime = new Lifetime();
    const folder = await mkdtemp(join(tmpdir(), "coxswain-faults-"));
    lifetime.defer(() => rm(folder, { recursive: true }));
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    await writeFile(join(folder, "sa.key"), privateKey.export({ type: "sec1", format: "pem" }));
    await writeFile(join(folder, "sa.pub"), publicKey.export({ type: "spki", format: "pem" }));
    const refused = async (flag: string, text: string): Promise<string> => {
      const file = join(folder, "configuration.yaml");
      await writeFile(file, text);
      return realError(folder, `--${flag}=${file}`);
    };
    for (const [name, text] of Object.entries(authentication)) {
      const real = await refused("authentication-config", text);
      const own = await ownError({ authentication: { configuration: text } });
      expect([name, own]).toEqual([name, real.replace(/^.*?(?:invalid authentication configuration|yaml"): /s, "")]);
    }
    for (const [name, text] of Object.entries(authorization)) {
      const real = await refused("authorization-config", text);
      const own = await ownError({ authorization: { configuration: text } });
      expect([name, own]).toEqual([name, real]);
    }
  },
  5 * patienceMs,
);

async function ownError(options: Parameters<typeof startApiServer>[0]): Promise<string> {
  try {
    await using _server = await startApiServer(options);
    return "no error";
  } catch (error) {
    return (error as Error).message;
  }
}

/** The message with which the program ends. It fails before it looks for its etcd. */
function realError(folder: string, flag: string): Promise<string> {
  const flags = [
    "--etcd-servers=http://127.0.0.1:1",
    `--cert-dir=${folder}`,
    `--service-account-key-file=${join(folder, "sa.pub")}`,
    `--service-account-signing-key-file=${join(folder, "sa.key")}`,
    "--service-account-issuer=https://issuer",
    "--service-cluster-ip-range=10.0.0.0/16",
    "--bind-address=127.0.0.1",
    "--advertise-address=192.0.2.1",
    "--secure-port=65000",
    flag,
  ];
  const program = join(envtestAssets() as string, "kube-apiserver");
  return new Promise((resolve) => {
    execFile(program, flags, { timeout: patienceMs }, (_error, _stdout, stderr) => {
      const [, quoted, folded] = /"command failed" err=(?:("(?:[^"\\]|\\.)*")|<\n(.*?)\n >)/s.exec(stderr) ?? [];
      if (quoted !== undefined) resolve(JSON.parse(quoted) as string);
      else resolve(folded?.replaceAll(/^\t/gm, "") ?? stderr);
    });
  });
}
