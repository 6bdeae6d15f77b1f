/** The configuration files of the server as targets: a faulty one is refused with the field's name, and never ends the process. */
import { readAuditPolicy } from "../../../src/apiserver/audit/policy.js";
import { ConfigurationError } from "../../../src/apiserver/configuration/section.js";
import { bytesOf, type Outcome, resultOr, type TargetKind, textOf } from "../target.js";

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

export const configurationTargets: readonly TargetKind[] = [auditPolicies];
