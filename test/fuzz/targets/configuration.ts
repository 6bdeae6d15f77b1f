/** The configuration files of the server, and the tokens, keys and claims of other issuers, as targets: a faulty one is refused with a reason, and never ends the process. */
import {
  readEventRates,
  readLimitedResources,
  readNodeSelectors,
  readPodSecurity,
  readTolerations,
} from "../../../src/apiserver/admission/settings/plugins.js";
import { abacAuthorizer } from "../../../src/apiserver/auth/abac/authorizer.js";
import { readPolicies } from "../../../src/apiserver/auth/abac/policies.js";
import { readAuthenticationConfiguration } from "../../../src/apiserver/auth/oidc/configuration.js";
import { isSignedBy, keysIn, namedIssuer, readToken } from "../../../src/apiserver/auth/oidc/jwt.js";
import { BadClaims, userOf } from "../../../src/apiserver/auth/oidc/mapping.js";
import { audienceFault, timeFault, typeFault } from "../../../src/apiserver/auth/oidc/token-checks.js";
import { readAuthorizationConfiguration } from "../../../src/apiserver/auth/remote/configuration.js";
import { readAuditPolicy } from "../../../src/apiserver/audit/policy.js";
import { ConfigurationError } from "../../../src/apiserver/configuration/section.js";
import { bytesOf, type Outcome, resultOr, shapeOf, type TargetKind, textOf } from "../target.js";

const file = (name: string, seeds: readonly string[], run: (text: string) => Outcome): TargetKind => ({
  name,
  words: ["apiVersion: ", "kind: ", "rules:", "- level: ", "None", "[", "]", "{", "}", "*", "/", '""', "null", "\n  "],
  seeds: seeds.map(bytesOf),
  open: async () => ({ run: async (input) => run(textOf(input)), [Symbol.asyncDispose]: async () => {} }),
});

const user = { username: "jane", groups: ["a"] };
const request = { type: "other", verb: "get", path: "/healthz" } as const;

const auditPolicies = file(
  "audit-policies",
  [
    "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- level: Metadata\n  users: [jane]\n",
    '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Request","nonResourceURLs":["/healthz*"]}]}',
    "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: None\n  resources:\n  - group: apps\n    resources: ['*/scale']\n    resourceNames: [a]\n",
  ],
  (text) =>
    resultOr(
      [ConfigurationError],
      () => readAuditPolicy(text),
      ({ value, unknown }) => ({ kind: value(user, request).level, detail: String(unknown.length) }),
    ),
);

const authentication = file(
  "authentication-configurations",
  [
    "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt:\n- issuer: { url: 'https://a', audiences: [a] }\n  claimMappings:\n    username: { claim: sub, prefix: '' }\n    groups: { expression: 'claims.roles' }\nanonymous: { enabled: true, conditions: [{ path: /livez }] }\n",
    '{"apiVersion":"apiserver.config.k8s.io/v1beta1","kind":"AuthenticationConfiguration","jwt":[{"issuer":{"url":"https://a","discoveryURL":"https://b","audiences":["a","b"],"audienceMatchPolicy":"MatchAny"},"claimValidationRules":[{"expression":"claims.a == 1"},{"claim":"b","requiredValue":"c"}],"claimMappings":{"username":{"expression":"claims.sub"},"uid":{"claim":"id"},"extra":[{"key":"a.b/c","valueExpression":"claims.d"}]},"userValidationRules":[{"expression":"user.username != \'\'"}]}]}',
  ],
  (text) =>
    resultOr(
      [ConfigurationError],
      () => readAuthenticationConfiguration(text, ["https://own"]),
      ({ issuers, anonymous }) => ({ kind: String(issuers.length), detail: String(anonymous?.paths.length) }),
    ),
);

const authorization = file(
  "authorization-configurations",
  [
    "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n- { type: RBAC, name: rbac }\n- type: Webhook\n  name: hook\n  webhook:\n    timeout: 3s\n    subjectAccessReviewVersion: v1\n    matchConditionSubjectAccessReviewVersion: v1\n    failurePolicy: Deny\n    connectionInfo: { type: KubeConfigFile, kubeConfigFile: /a }\n    matchConditions: [{ expression: 'request.user == 1' }, { expression: \"request.user == 'a'\" }]\n",
    "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers: [{ type: Node, name: node }, { type: RBAC, name: rbac }]\n",
  ],
  (text) =>
    resultOr(
      [ConfigurationError],
      () => readAuthorizationConfiguration(text),
      (authorizers) => ({ kind: String(authorizers.length), detail: authorizers.map((one) => typeof one).join() }),
    ),
);

const abacVersion = "abac.authorization.kubernetes.io/v1beta1";

const policies = file(
  "abac-policies",
  [
    `# readers\n{"apiVersion":"${abacVersion}","kind":"Policy","spec":{"user":"*","nonResourcePath":"/health*","readonly":true}}\n`,
    '{"user":"jane","namespace":"a","resource":"pods"}\r\n\n{"group":"a"}',
    "user: jane\n---\nnull\n",
  ],
  (text) =>
    resultOr(
      [ConfigurationError],
      () => abacAuthorizer(readPolicies(text, "policies")),
      ({ authorizer, rulesFor }) => ({
        kind: JSON.stringify(authorizer(user, request)).slice(0, 20),
        detail: String(rulesFor(user, "a").rules.length),
      }),
    ),
);

const settingsReaders = [readPodSecurity, readNodeSelectors, readTolerations, readLimitedResources, readEventRates];

/** Each reader gets each text: to all but one it is faulty. */
const admission = file(
  "admission-settings",
  [
    "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults: { enforce: baseline, warn-version: v1.30 }\nexemptions: { usernames: [a], namespaces: [b], runtimeClasses: [c] }\n",
    "podNodeSelectorPluginConfig:\n  clusterDefaultNodeSelector: a=b\n  c: d=e,f=g\n",
    '{"apiVersion":"podtolerationrestriction.admission.k8s.io/v1alpha1","kind":"Configuration","default":[{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":3}],"whitelist":[{"operator":"Exists"}]}',
    '{"apiVersion":"apiserver.config.k8s.io/v1","kind":"ResourceQuotaConfiguration","limitedResources":[{"resource":"pods","matchContains":["cpu"],"matchScopes":[{"scopeName":"PriorityClass","operator":"In","values":["a"]}]}]}',
    "apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\nlimits: [{ type: User, qps: 1, burst: 2, cacheSize: 3 }]\n",
  ],
  (text) => {
    const outcomes = settingsReaders.map((read) =>
      resultOr<object>(
        [ConfigurationError],
        () => read(text),
        () => ({ kind: "good", detail: "" }),
      ),
    );
    return {
      kind: outcomes.map(({ kind }) => kind).join(),
      detail: outcomes.map(({ detail }) => detail.length % 8).join(),
    };
  },
);

const target = (
  name: string,
  words: readonly string[],
  seeds: readonly string[],
  run: (text: string) => Outcome,
): TargetKind => ({
  name,
  words,
  seeds: seeds.map(bytesOf),
  open: async () => ({ run: async (input) => run(textOf(input)), [Symbol.asyncDispose]: async () => {} }),
});

/** Fixed, so that the same input has the same outcome. */
const keySet = JSON.stringify({
  keys: [
    {
      kid: "a",
      kty: "EC",
      crv: "P-256",
      x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
      y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    },
  ],
});

const [configuration] = readAuthenticationConfiguration(
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    jwt: [
      {
        issuer: { url: "https://a", audiences: ["a", "b"], audienceMatchPolicy: "MatchAny" },
        claimMappings: {
          username: { expression: "claims.sub" },
          groups: { claim: "roles", prefix: "p:" },
          uid: { expression: "claims.?id.orValue('')" },
          extra: [{ key: "a.b/c", valueExpression: "claims.?c.orValue([])" }],
        },
        claimValidationRules: [{ expression: "!has(claims.d) || claims.d > 1.0" }, { claim: "hd", requiredValue: "x" }],
        userValidationRules: [{ expression: "user.groups.all(one, one != 'p:no')" }],
      },
    ],
  }),
).issuers;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const head = encode({ alg: "ES256", kid: "a" });

function judged(text: string): Outcome {
  const token = readToken(text);
  const kind = namedIssuer(text) === "https://a" ? "ours" : "others";
  if (typeof token === "string") return { kind, detail: shapeOf(token) };
  const isGood = keysIn(keySet).some((key) => isSignedBy(token, key));
  return { kind, detail: `${token.algorithm.slice(0, 8)} ${isGood}` };
}

const tokens = target(
  "tokens",
  [".", "eyJ", "{}", "=", "-", "_", head],
  [`${head}.${encode({ iss: "https://a", sub: "x" })}.AAAA`, `${encode({ alg: "none" })}.${encode({})}.`, "a.b.c.d"],
  judged,
);

const claims = target(
  "token-claims",
  ['"sub":', '"aud":', '"exp":', "null", "[]", "{}", "1e400", '"__proto__":', '""'],
  [
    '{"iss":"https://a","aud":["a"],"exp":4000000000,"sub":"x","roles":["r"],"id":"7","c":["d"],"hd":"x","d":2}',
    '{"iss":"https://a","aud":"c","exp":1}',
  ],
  (text) =>
    resultOr(
      [BadClaims, SyntaxError],
      () => {
        const value: unknown = JSON.parse(text);
        if (typeof value !== "object" || value === null || Array.isArray(value)) throw new BadClaims("no object");
        const given = value as Readonly<Record<string, unknown>>;
        const fault = typeFault(given) ?? audienceFault(given, ["a", "b"]) ?? timeFault(given, 1_800_000_000_000);
        if (fault !== undefined) throw new BadClaims(fault);
        if (configuration === undefined) throw new Error("there is no configuration");
        return userOf(given, configuration);
      },
      ({ groups, uid = "" }) => ({ kind: "user", detail: `${groups.length} ${uid.length > 0}` }),
    ),
);

const keySets = target(
  "key-sets",
  ['"keys":', '"kty":', '"EC"', '"RSA"', '"OKP"', '"n":', '"e":', "AQAB", "{}", "[]", "null"],
  [
    keySet,
    '{"keys":[{"kty":"RSA","kid":"r","n":"sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri23bOdgWp4Dy1Wl","e":"AQAB"}]}',
    '{"keys":[]}',
  ],
  // an Error of any kind refuses the set
  (text) =>
    resultOr(
      [Error],
      () => keysIn(text),
      (keys) => ({ kind: "keys", detail: String(keys.length) }),
    ),
);

const tokenTargets: readonly TargetKind[] = [tokens, claims, keySets];

export const configurationTargets: readonly TargetKind[] = [
  auditPolicies,
  authentication,
  authorization,
  policies,
  admission,
  ...tokenTargets,
];
