/** `serviceaccounts/token`: a signed token for an account, perhaps bound to a pod, secret or node. */
import {
  fieldInvalid,
  type KubeObject,
  newConflict,
  newBadRequest,
  newInvalid,
  newNotFound,
  type StatusCause,
} from "../../api/index.js";
import type { TokenClaims, TokenIssuer } from "../auth/tokens.js";
import { parseWriteOptions } from "../http/body.js";
import { valueAnswer } from "../http/answers/answer.js";
import { bodyOf, codecOf, type Exchange, outputOf, ownedBy } from "../http/exchange.js";
import type { Verb } from "../http/verbs.js";
import { newUid, timestamp } from "../registry/scope.js";

interface TokenRequest extends KubeObject {
  readonly spec: {
    readonly audiences?: readonly string[];
    readonly expirationSeconds?: number;
    readonly boundObjectRef?: {
      readonly kind?: string;
      readonly apiVersion?: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
}

const kind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" } as const;
const minSeconds = 600;
const maxSeconds = 2 ** 32;

export function tokenVerb(issuer: TokenIssuer): Verb {
  return async ({ exchange, endpoint, info: { namespace, name } }) => {
    const options = parseWriteOptions(exchange.query, "CreateOptions");
    const request = bodyOf(exchange, endpoint, { expected: kind, validation: options.fieldValidation }) as TokenRequest;
    const { store, clock, random } = exchange.machinery;
    const account = store.get(endpoint.collection, `${namespace}/${name}`)?.object;
    if (account === undefined) throw newNotFound({ group: "", resource: "serviceaccounts" }, name);
    if (request.metadata.name && request.metadata.name !== name) {
      const why = "must match the service account name if specified";
      throw newInvalid(kind, name, [fieldInvalid("metadata.name", request.metadata.name, why)]);
    }
    const seconds = request.spec.expirationSeconds ?? 3600;
    checkExpiry(seconds);
    const now = Math.floor(clock.now() / 1000);
    const audiences = request.spec.audiences?.length ? request.spec.audiences : [issuer.issuer];
    const claims: TokenClaims = {
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: issuer.issuer,
      jti: newUid(random),
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
      "kubernetes.io": {
        namespace,
        ...boundClaims(exchange, namespace, request),
        serviceaccount: { name, uid: account.metadata.uid ?? "" },
      },
    };
    const asked: TokenRequest = { ...request, spec: { ...request.spec, expirationSeconds: seconds } };
    const owned = ownedBy(exchange, endpoint, asked, "token");
    const { managedFields } = owned.metadata;
    const own = { uid: newUid(random), creationTimestamp: timestamp(clock.now()) };
    const answer = {
      ...request,
      metadata: { name, namespace, ...own, ...(managedFields === undefined ? {} : { managedFields }) },
      spec: {
        ...request.spec,
        audiences,
        expirationSeconds: seconds,
        boundObjectRef: request.spec.boundObjectRef ?? null,
      },
      status: { token: issuer.sign(claims), expirationTimestamp: timestamp((now + seconds) * 1000) },
    };
    const output = outputOf(exchange, { custom: false, transforms: false });
    return valueAnswer(201, answer, output, codecOf(exchange, output.mediaType));
  };
}

function checkExpiry(seconds: number): void {
  const errors: StatusCause[] = [];
  if (seconds < minSeconds)
    errors.push(fieldInvalid("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes"));
  if (seconds > maxSeconds)
    errors.push(fieldInvalid("spec.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds"));
  if (errors.length > 0) throw newInvalid({ group: "authentication.k8s.io", kind: "TokenRequest" }, "", errors);
}

const collections: Readonly<Record<string, string>> = { Pod: "pods", Secret: "secrets", Node: "nodes" };

function boundClaims(
  { machinery }: Exchange,
  namespace: string,
  { spec }: TokenRequest,
): Partial<TokenClaims["kubernetes.io"]> {
  const reference = spec.boundObjectRef;
  if (reference === undefined || reference === null) return {};
  const collection = collections[reference.kind ?? ""];
  const { name = "" } = reference;
  if (collection === undefined) {
    const { apiVersion = "", kind: of = "" } = reference;
    throw newBadRequest(`cannot bind token to object of type /${apiVersion}, Kind=${of}`);
  }
  const key = collection === "nodes" ? name : `${namespace}/${name}`;
  const object = machinery.store.get(collection, key)?.object;
  if (object === undefined) throw newNotFound({ group: "", resource: collection }, name);
  const { uid = "" } = object.metadata;
  if (reference.uid && reference.uid !== uid) {
    throw newConflict(
      // upstream names the kind here
      { group: "", resource: reference.kind ?? "" },
      name,
      `the UID in the bound object reference (${reference.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  return { [(reference.kind ?? "").toLowerCase()]: { name, uid } };
}
