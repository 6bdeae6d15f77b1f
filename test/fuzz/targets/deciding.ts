/** Objects that decide about later requests as targets: flow schemas and priority levels, and the Secrets of bootstrap tokens. */
import { maps } from "../../stalls/requests.js";
import type { TargetKind } from "../target.js";
import { bodyWords, get, patchOf, verbWords } from "./pieces.js";
import { mutateRequest, openServer, requestInput } from "./server.js";

const flows = "/apis/flowcontrol.apiserver.k8s.io/v1";
const level = {
  metadata: { name: "l" },
  spec: {
    type: "Limited",
    limited: {
      nominalConcurrencyShares: 1,
      lendablePercent: 50,
      borrowingLimitPercent: 10,
      limitResponse: { type: "Queue", queuing: { queues: 8, handSize: 2, queueLengthLimit: 3 } },
    },
  },
};
const flowSchema = {
  metadata: { name: "f" },
  spec: {
    priorityLevelConfiguration: { name: "l" },
    matchingPrecedence: 1,
    distinguisherMethod: { type: "ByUser" },
    rules: [
      {
        subjects: [{ kind: "Group", group: { name: "*" } }],
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }],
        nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/a/*"] }],
      },
    ],
  },
};
const jsonBody = "content-type: application/json";

const flowObjects: TargetKind = {
  name: "flow-objects",
  seeds: [
    requestInput(`POST ${flows}/prioritylevelconfigurations\n${jsonBody}`, JSON.stringify(level)),
    requestInput(`POST ${flows}/flowschemas\n${jsonBody}`, JSON.stringify(flowSchema)),
    patchOf(`${flows}/prioritylevelconfigurations/l`, "merge-patch+json", level),
    patchOf(`${flows}/flowschemas/f`, "merge-patch+json", { spec: { ...flowSchema.spec, matchingPrecedence: 9_999 } }),
    patchOf(`${flows}/flowschemas/f/status`, "merge-patch+json", { status: { conditions: [{ type: "Dangling" }] } }),
    requestInput(`DELETE ${flows}/prioritylevelconfigurations/l`),
    get(maps, "impersonate-user: u\nimpersonate-group: g"),
    get("/debug/api_priority_and_fairness/dump_queues"),
  ],
  words: [
    ...bodyWords,
    ...verbWords,
    "Exempt",
    "Reject",
    "ByNamespace",
    "ServiceAccount",
    "catch-all",
    "exempt",
    "1000000",
  ],
  mutate: mutateRequest,
  open: () => openServer(),
};

const token = "abcdef.0123456789abcdef";
const encoded = (text: string): string => Buffer.from(text).toString("base64");
const tokenSecret = (more: object = {}): object => ({
  metadata: { name: "bootstrap-token-abcdef" },
  type: "bootstrap.kubernetes.io/token",
  data: {
    "token-id": encoded("abcdef"),
    "token-secret": encoded("0123456789abcdef"),
    "usage-bootstrap-authentication": encoded("true"),
    "auth-extra-groups": encoded("system:bootstrappers:a,system:bootstrappers:b"),
    expiration: encoded("2999-01-01T00:00:00Z"),
    ...more,
  },
});
const tokenSecrets = "/api/v1/namespaces/kube-system/secrets";

/** The Secrets behind bootstrap tokens, and reviews of such tokens. */
const bootstrapTokens: TargetKind = {
  name: "bootstrap-tokens",
  seeds: [
    requestInput(`PUT ${tokenSecrets}/bootstrap-token-abcdef\n${jsonBody}`, JSON.stringify(tokenSecret())),
    requestInput(
      `PUT ${tokenSecrets}/bootstrap-token-abcdef\n${jsonBody}`,
      JSON.stringify(tokenSecret({ expiration: encoded("x"), "auth-extra-groups": encoded("system:masters") })),
    ),
    patchOf(`${tokenSecrets}/bootstrap-token-abcdef`, "merge-patch+json", { data: { "token-secret": null } }),
    requestInput(
      `POST /apis/authentication.k8s.io/v1/tokenreviews\n${jsonBody}`,
      JSON.stringify({ spec: { token, audiences: ["a"] } }),
    ),
    requestInput(`POST /apis/authentication.k8s.io/v1/tokenreviews\n${jsonBody}`, JSON.stringify({ spec: { token } })),
  ],
  words: [...bodyWords, ...verbWords, token, encoded("true"), encoded("system:bootstrappers:"), encoded("0000-00-00T")],
  mutate: mutateRequest,
  open: () =>
    openServer([requestInput(`POST ${tokenSecrets}\n${jsonBody}`, JSON.stringify(tokenSecret()))], {
      bootstrapTokens: true,
    }),
};

export const decidingTargets: readonly TargetKind[] = [flowObjects, bootstrapTokens];
