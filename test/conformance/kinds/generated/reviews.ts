/** Questions that are answered and not stored: where they are asked, and one valid question of each kind. To the generated tests. */
import { builtInTypeOf } from "../../../../src/api/schema/index.js";
import type { Trial } from "./trials.js";
import { variationsOf } from "./variations.js";

type Json = Record<string, unknown>;

export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  /** Valid questions; each is varied. */
  readonly bases: readonly Json[];
}

export const reviewNamespace = "reviews-generated";

const authorization = "authorization.k8s.io/v1";
const authentication = "authentication.k8s.io/v1";

const resourceAttributes = { namespace: reviewNamespace, verb: "get", group: "", version: "v1", resource: "pods", name: "a" };
const selectors = {
  ...resourceAttributes,
  verb: "list",
  fieldSelector: { requirements: [{ key: "spec.nodeName", operator: "In", values: ["n"] }] },
  labelSelector: { requirements: [{ key: "a", operator: "NotIn", values: ["b"] }] },
};
const texts = {
  fieldSelector: { rawSelector: "spec.nodeName=n" },
  labelSelector: { rawSelector: "a in (b,c)" },
};
const nonResourceAttributes = { path: "/healthz", verb: "get" };
const who = { user: "joe", groups: ["g"], uid: "u", extra: { k: ["v"] } };
const questions = [
  { resourceAttributes },
  { resourceAttributes: selectors },
  { resourceAttributes: { ...resourceAttributes, verb: "watch", ...texts } },
  { nonResourceAttributes },
];

export const reviews: readonly Review[] = [
  {
    apiVersion: authorization,
    kind: "SubjectAccessReview",
    path: `/apis/${authorization}/subjectaccessreviews`,
    bases: questions.map((question) => ({ spec: { ...who, ...question } })),
  },
  {
    apiVersion: authorization,
    kind: "SelfSubjectAccessReview",
    path: `/apis/${authorization}/selfsubjectaccessreviews`,
    bases: questions.map((question) => ({ spec: question })),
  },
  {
    apiVersion: authorization,
    kind: "LocalSubjectAccessReview",
    path: `/apis/${authorization}/namespaces/${reviewNamespace}/localsubjectaccessreviews`,
    bases: questions.map((question) => ({ metadata: { namespace: reviewNamespace }, spec: { ...who, ...question } })),
  },
  {
    apiVersion: authorization,
    kind: "SelfSubjectRulesReview",
    path: `/apis/${authorization}/selfsubjectrulesreviews`,
    bases: [{ spec: { namespace: reviewNamespace } }],
  },
  {
    apiVersion: authentication,
    kind: "TokenReview",
    path: `/apis/${authentication}/tokenreviews`,
    bases: [{ spec: { token: "no.such.token", audiences: ["a"] } }],
  },
  {
    apiVersion: authentication,
    kind: "SelfSubjectReview",
    path: `/apis/${authentication}/selfsubjectreviews`,
    bases: [{}],
  },
  {
    apiVersion: authentication,
    kind: "TokenRequest",
    path: `/api/v1/namespaces/${reviewNamespace}/serviceaccounts/asker/token`,
    bases: [{ spec: { audiences: ["a"], expirationSeconds: 3600 } }],
  },
];

/** Each field of each question, with values that it may and may not have. */
export function reviewTrials({ apiVersion, kind, bases }: Review): readonly Trial[] {
  const type = builtInTypeOf(apiVersion, kind);
  if (type === undefined) throw new Error(`no type for ${apiVersion} ${kind}`);
  return bases.flatMap((base) => {
    const seed = { apiVersion, kind, ...base };
    return [...variationsOf(type, seed)].map((variation) => ({
      ...variation,
      mode: "create" as const,
      subresource: "" as const,
      seed,
    }));
  });
}
