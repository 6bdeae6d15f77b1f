/** `serviceaccounts/token`: issues a signed token for an account, perhaps bound to a pod, secret or node. */
import { defined } from "../../base/defined.js";
import {
  fieldPath,
  formatTime,
  type KubeObject,
  newBadRequest,
  newConflict,
  newInvalid,
  newNotFound,
  type Pod,
  type StatusCause,
  type TokenRequest,
} from "../../api/index.js";
import type { TokenClaims, TokenIssuer } from "../auth/tokens.js";
import { parseWriteOptions } from "../http/body.js";
import { valueAnswer } from "../http/answers/answer.js";
import { bodyOf, codecOf, type Exchange, outputOf, ownedBy, writeScope } from "../http/exchange.js";
import type { Verb } from "../http/verbs.js";
import { inNamespaceOf } from "../contracts/endpoint.js";
import { newUid } from "../contracts/scope.js";
import { mutate, validate } from "../registry/write/admit.js";
import { withoutDuplicateOwners } from "../registry/write/object-meta.js";
import type { WithSpec } from "../registry/kinds/rules/formed.js";
import type { Store } from "../storage/contract.js";

const kind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" } as const;
const minSeconds = 600;
const maxSeconds = 2 ** 32;
/** The lifetime that tokens in pod volumes state, and their real lifetime: longer, for programs that read the file only once. */
const volumeSeconds = 3607;
const extendedSeconds = 365 * 24 * 3600;

export function tokenVerb(issuer: TokenIssuer): Verb {
  return async ({ exchange, endpoint, info: { namespace, name } }) => {
    const options = parseWriteOptions(exchange.query, "CreateOptions");
    const sent = await bodyOf(exchange, endpoint, { expected: kind, validation: options.fieldValidation });
    const scope = writeScope(exchange, options);
    const told = { warn: scope.warn, admitted: false };
    const unique = withoutDuplicateOwners(inNamespaceOf(sent, namespace), told);
    const target = { endpoint, namespace, name, subresource: "token", scope };
    const request = (await mutate(target, { operation: "CREATE", object: unique })) as WithSpec<TokenRequest>;
    const { store, clock, random } = exchange.machinery;
    if (store.get("namespaces", namespace) === undefined) {
      throw newNotFound({ group: "", resource: "namespaces" }, namespace);
    }
    if (request.metadata.name && request.metadata.name !== name) {
      const why = "must match the service account name if specified";
      throw newInvalid(kind, name, [fieldPath("metadata.name").invalid(request.metadata.name, why)]);
    }
    const account = store.get(endpoint.collection, `${namespace}/${name}`)?.object;
    if (account === undefined) throw newNotFound({ group: "", resource: "serviceaccounts" }, name);
    const { uid = "" } = account.metadata;
    if (request.metadata.uid && request.metadata.uid !== uid) {
      const why = `the UID in the token request (${request.metadata.uid}) does not match the UID of the service account (${uid})`;
      // upstream puts the kind here
      throw newConflict({ group: kind.group, resource: kind.kind }, name, why);
    }
    const seconds = request.spec.expirationSeconds ?? 3600;
    checkExpiry(seconds);
    await validate(target, { operation: "CREATE", object: request });
    const now = Math.floor(clock.now() / 1000);
    const audiences = request.spec.audiences?.length ? request.spec.audiences : issuer.audiences;
    const bound = boundClaims(exchange, account, request);
    // only a token that is for this server alone can be told from one that is old
    const isOwn = (all: readonly string[]): boolean => all.every((one) => issuer.audiences.includes(one));
    const isExtended = bound.pod !== undefined && seconds === volumeSeconds && isOwn(audiences);
    const claims: TokenClaims = {
      aud: audiences,
      exp: now + (isExtended ? extendedSeconds : seconds),
      iat: now,
      iss: issuer.issuer,
      jti: newUid(random),
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
      "kubernetes.io": {
        namespace,
        ...bound,
        serviceaccount: { name, uid },
        ...(isExtended ? { warnafter: now + seconds } : {}),
      },
    };
    const asked: WithSpec<TokenRequest> = { ...request, spec: { ...request.spec, expirationSeconds: seconds } };
    const owned = ownedBy(exchange, endpoint, asked, "token");
    const { managedFields } = owned.metadata;
    const own = { uid, creationTimestamp: formatTime(clock.now()) };
    const answer = {
      ...request,
      metadata: { ...request.metadata, name, namespace, ...own, ...defined({ managedFields }) },
      spec: {
        ...request.spec,
        audiences,
        expirationSeconds: seconds,
        boundObjectRef: request.spec.boundObjectRef ?? null,
      },
      status: { token: issuer.sign(claims), expirationTimestamp: formatTime((now + seconds) * 1000) },
    };
    const output = outputOf(exchange, { custom: false, transforms: false });
    return valueAnswer(201, answer, output, codecOf(exchange, output.mediaType));
  };
}

function checkExpiry(seconds: number): void {
  const errors: StatusCause[] = [];
  if (seconds < minSeconds)
    errors.push(
      fieldPath("spec.expirationSeconds").invalid(seconds, "may not specify a duration less than 10 minutes"),
    );
  if (seconds > maxSeconds)
    errors.push(
      fieldPath("spec.expirationSeconds").invalid(seconds, "may not specify a duration larger than 2^32 seconds"),
    );
  if (errors.length > 0) throw newInvalid({ group: "authentication.k8s.io", kind: "TokenRequest" }, "", errors);
}

const collections: ReadonlyMap<string, string> = new Map([
  ["Pod", "pods"],
  ["Secret", "secrets"],
  ["Node", "nodes"],
]);

type Bound = Pick<TokenClaims["kubernetes.io"], "pod" | "secret" | "node">;

function boundClaims({ machinery }: Exchange, account: KubeObject, { spec }: WithSpec<TokenRequest>): Bound {
  const reference = spec.boundObjectRef;
  if (reference === undefined || reference === null) return {};
  const { apiVersion = "", kind: of = "", name = "" } = reference;
  const collection = apiVersion.includes("/") ? undefined : collections.get(of);
  if (collection === undefined) {
    const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    throw newBadRequest(`cannot bind token to object of type ${version}, Kind=${of}`);
  }
  if (name === "") throw newBadRequest("Name parameter required.");
  const key = collection === "nodes" ? name : `${account.metadata.namespace}/${name}`;
  const object = machinery.store.get(collection, key)?.object;
  if (object === undefined) throw newNotFound({ group: "", resource: collection }, name);
  const nodeName = of === "Pod" ? nodeOf(object as Pod, account) : "";
  const { uid = "" } = object.metadata;
  if (reference.uid && reference.uid !== uid) {
    throw newConflict(
      // upstream puts the kind here
      { group: "", resource: of },
      name,
      `the UID in the bound object reference (${reference.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  const own = { [of.toLowerCase()]: { name, uid } };
  return nodeName === "" ? own : { ...own, node: nodeClaim(machinery.store, nodeName) };
}

function nodeClaim(store: Store, name: string): NonNullable<Bound["node"]> {
  const uid = store.get("nodes", name)?.object.metadata.uid;
  return uid === undefined ? { name } : { name, uid };
}

/** The node of the pod. Throws unless the pod runs as the account: a token must not be bound to another account's pod. */
function nodeOf({ spec }: Pod, account: KubeObject): string {
  const { name } = account.metadata;
  if (spec?.serviceAccountName === name) return spec.nodeName ?? "";
  const what = `token for serviceaccount ${JSON.stringify(name)} to pod running with different serviceaccount name.`;
  throw newBadRequest(`cannot bind ${what}`);
}
