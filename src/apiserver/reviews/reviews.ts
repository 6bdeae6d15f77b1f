/** reviews: gives the verbs of questions about tokens and permissions, which are answered and not stored. */
import { joinedErrors } from "../../api/errors/field-error.js";
import { defined } from "../../base/defined.js";
import {
  formatTime,
  type KubeObject,
  newBadRequest,
  newInvalid,
  type StatusCause,
  StatusError,
  type SubjectAccessReviewSpec,
} from "../../api/index.js";
import type { Authorization } from "../auth/authorize.js";
import type { Authorizer } from "../contracts/authorizer.js";
import { known } from "../auth/authenticate.js";
import type { TokenUnion } from "../auth/token-union.js";
import { shownUser, type UserInfo } from "../contracts/user.js";
import { parseWriteOptions } from "../http/body.js";
import { valueAnswer } from "../http/answers/answer.js";
import { bodyOf, codecOf, type Exchange, outputOf, ownedBy, readScope } from "../http/exchange.js";
import type { RequestInfo } from "../contracts/request.js";
import type { Verb } from "../http/verbs.js";
import { withoutNulls } from "../registry/kinds/rules/formed.js";
import { withoutSystemMetadata } from "../registry/write/create.js";
import { withoutDuplicateOwners } from "../registry/write/object-meta.js";
import { type AboutWhom, accessFaults, selectedBy, selectorErrors } from "./access-rules.js";
import { inNamespaceOf, kindOf } from "../contracts/endpoint.js";

type Review = KubeObject & { readonly spec?: unknown };

/** Reviews whose answer does not repeat the question. */
const bare = new Set(["SelfSubjectRulesReview"]);

/** Answers a review with the same object and a status. */
function review(answer: (asked: Review, exchange: Exchange) => object | Promise<object>): Verb {
  return async ({ exchange, endpoint, info }) => {
    const options = parseWriteOptions(exchange.query, "CreateOptions");
    const expected = kindOf(endpoint.served);
    const reading = { expected, validation: options.fieldValidation };
    const sent = (await bodyOf(exchange, endpoint, reading)) as Review;
    const output = outputOf(exchange, { custom: false, transforms: false });
    const { uid: _, creationTimestamp: _time, ...metadata } = sent.metadata;
    const own = withoutSystemMetadata({ ...sent, metadata: metadata as KubeObject["metadata"] });
    const placed = inNamespaceOf(own, info.namespace);
    const unique = withoutDuplicateOwners(placed, { warn: readScope(exchange).warn, admitted: false });
    const asked = ownedBy(exchange, endpoint, unique) as Review;
    const status = await answer(asked, exchange);
    const owned = bare.has(sent.kind)
      ? { kind: sent.kind, apiVersion: sent.apiVersion, metadata: {}, spec: {}, status }
      : { ...asked, status };
    return valueAnswer(201, stamped(owned as Review, exchange), output, codecOf(exchange, output.mediaType));
  };
}

/** A SelfSubjectReview gets a creation time and no other metadata; other reviews keep the metadata that was sent. */
function stamped(review: Review, { machinery }: Exchange): Review {
  if (review.kind !== "SelfSubjectReview") return review;
  const creationTimestamp = formatTime(machinery.clock.now());
  return { ...review, metadata: { creationTimestamp } as KubeObject["metadata"] };
}

function requestOf({ resourceAttributes, nonResourceAttributes }: SubjectAccessReviewSpec): RequestInfo {
  if (resourceAttributes === undefined) {
    return { type: "other", verb: nonResourceAttributes?.verb ?? "", path: nonResourceAttributes?.path ?? "" };
  }
  const {
    namespace = "",
    verb = "",
    group = "",
    version,
    resource = "",
    subresource = "",
    name = "",
  } = resourceAttributes;
  return {
    type: "resource",
    verb,
    group,
    version: version || "*",
    namespace,
    inNamespace: namespace !== "",
    resource,
    name,
    subresource,
    ...selectedBy(resourceAttributes),
    rest: [],
  };
}

function accessReview(authorizer: Authorizer, whom: AboutWhom): Verb {
  return review(async ({ metadata, spec: given }, { user }) => {
    const spec = withoutNulls((given ?? {}) as SubjectAccessReviewSpec);
    refuse([...accessFaults(metadata, spec, whom)]);
    const decision = await authorizer(whom === "self" ? user : named(spec), requestOf(spec));
    const { allowed, denied, reason, errors = [] } = decision;
    const evaluationError = [joinedErrors(errors), selectorErrors(spec)].filter((text) => text !== "").join("; ");
    return {
      allowed,
      ...(denied === true && { denied }),
      ...defined({ reason: reason || undefined, evaluationError: evaluationError || undefined }),
    };
  });
}

/** The refusal does not name the kind, as upstream. */
function refuse(problems: readonly StatusCause[]): void {
  if (problems.length === 0) return;
  const { status } = newInvalid({ group: "authorization.k8s.io", kind: "" }, "", problems);
  const { kind: _, ...details } = status.details ?? {};
  throw new StatusError({ ...status, details });
}

const named = ({ user = "", groups = [], uid, extra }: SubjectAccessReviewSpec): UserInfo =>
  defined({ username: user, groups, uid, extra });

export interface ReviewOptions {
  readonly authorization: Authorization;
  readonly tokens: TokenUnion;
  /** The audiences of this server. */
  readonly audiences: readonly string[];
}

/** A review that names no audience is for the server's own. */
function tokenReview({ tokens, audiences: own }: ReviewOptions): Verb {
  return review(async (sent) => {
    const { token = "", audiences = [] } = (sent.spec ?? {}) as { token?: string; audiences?: readonly string[] };
    if (token === "") throw newBadRequest("token is required for TokenReview in authentication");
    const found = await tokens(token, audiences.length > 0 ? audiences : own);
    if (found.type === "refused") return { user: {}, error: found.why };
    return { authenticated: true, user: shownUser(known(found.user)), audiences: found.audiences };
  });
}

function rulesReview({ rulesFor }: Authorization): Verb {
  return review((sent, { user }) => {
    const { namespace = "" } = (sent.spec ?? {}) as { readonly namespace?: string };
    if (namespace === "") throw newBadRequest("no namespace on request");
    const { rules, errors, incomplete = false } = rulesFor(user, namespace);
    return {
      resourceRules: rules.flatMap(({ verbs, apiGroups, resources = [], resourceNames }) =>
        resources.length === 0 ? [] : [{ verbs, apiGroups, resources, ...defined({ resourceNames }) }],
      ),
      nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
        nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
      ),
      incomplete,
      ...(errors.length === 0 ? {} : { evaluationError: joinedErrors(errors) }),
    };
  });
}

export function reviewVerbs(options: ReviewOptions): ReadonlyMap<string, Verb> {
  const { authorization } = options;
  const { authorizer } = authorization;
  return new Map([
    ["authentication.k8s.io/tokenreviews", tokenReview(options)],
    ["authentication.k8s.io/selfsubjectreviews", review((_, { user }) => ({ userInfo: shownUser(user) }))],
    ["authorization.k8s.io/selfsubjectaccessreviews", accessReview(authorizer, "self")],
    ["authorization.k8s.io/subjectaccessreviews", accessReview(authorizer, "anybody")],
    ["authorization.k8s.io/localsubjectaccessreviews", accessReview(authorizer, "here")],
    ["authorization.k8s.io/selfsubjectrulesreviews", rulesReview(authorization)],
  ]);
}
