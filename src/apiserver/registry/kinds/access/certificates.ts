/** The strategy of certificate signing requests: records the requester, and lets only the right endpoints approve or answer. */
import { defined, unlessEmpty } from "../../../../base/defined.js";
import { messageOf } from "../../../../base/index.js";
import { parseRequest } from "../../../../base/x509/request.js";
import {
  type CertificateSigningRequest as AnyRequest,
  type CertificateSigningRequestCondition,
  fieldPath,
  formatTime,
  semanticEqual,
} from "../../../../api/index.js";
import type { Strategy, StrategyContext } from "../../../contracts/strategy.js";
import { changed, each, having } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { type Issues, oneOf, optionalOneOf } from "../rules/issues.js";
import { signer } from "../pod/validation/projected.js";
import { repeats } from "../../../../base/members.js";
import { conditionStatuses } from "../rules/conditions.js";

type Request = WithSpec<AnyRequest>;
type Condition = CertificateSigningRequestCondition;

const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

const spec = fieldPath("spec");
const conditionsAt = fieldPath("status", "conditions");
const decisions = ["Approved", "Denied"];

const isPem = (data: string): boolean =>
  Buffer.from(data, "base64").toString("latin1").includes("-----BEGIN CERTIFICATE-----");

/** The reason why the request cannot be read, or is not signed with its own key; undefined for a good one. */
function faultOf(request: string): string | undefined {
  try {
    return parseRequest(Buffer.from(request, "base64").toString("latin1")).fault;
  } catch (error) {
    return messageOf(error);
  }
}

function* requestRules({ spec: given, status }: Request): Issues {
  const fault = faultOf(given.request ?? "");
  if (fault !== undefined) yield spec.child("request").invalid(given.request, fault);
  const asked: readonly string[] = given.usages ?? [];
  if (asked.length === 0) yield spec.child("usages").required();
  for (const [here, usage] of spec.child("usages").items(asked)) yield* optionalOneOf(here, usage, usages);
  const isRepeat = repeats();
  for (const [here, usage] of spec.child("usages").items(asked)) if (isRepeat(usage)) yield here.duplicate(usage);
  const { signerName, expirationSeconds: seconds } = given;
  if (signerName === "kubernetes.io/legacy-unknown") {
    const why = "the legacy signerName is not allowed via this API version";
    yield spec.child("signerName").invalid(signerName, why);
  } else yield* signer(spec.child("signerName"), signerName ?? "");
  if (seconds !== undefined && seconds < 600) {
    const why = "may not specify a duration less than 600 seconds (10 minutes)";
    yield spec.child("expirationSeconds").invalid(seconds, why);
  }
  yield* conditions(status?.conditions ?? []);
}

function* conditions(given: readonly Condition[]): Issues {
  const seen = new Set<string>();
  for (const [at, { type, status }] of conditionsAt.items(given)) {
    if (!type) yield at.child("type").required();
    const allowed = [...decisions, "Failed"].includes(type) ? ["True"] : conditionStatuses;
    yield* oneOf(at.child("status"), status, allowed);
    const other = decisions.find((decision) => decision !== type);
    if (decisions.includes(type) && seen.has(other as string)) {
      yield conditionsAt.invalid(type, "Approved and Denied conditions are mutually exclusive");
    }
    if (seen.has(type)) yield at.child("type").duplicate(type);
    seen.add(type);
  }
}

interface Allowed {
  readonly approval?: boolean;
  readonly certificate?: boolean;
}

function* requestChanges(now: Request, old: Request, allowed: Allowed): Issues {
  yield* requestRules(now);
  const of = (request: Request, type: string): readonly Condition[] =>
    (request.status?.conditions ?? []).filter((condition) => condition.type === type);
  for (const type of [...decisions, "Failed"]) {
    if (of(now, type).length < of(old, type).length) {
      yield conditionsAt.forbidden(`updates may not remove a condition of type "${type}"`);
    }
  }
  if (allowed.approval !== true) {
    for (const type of decisions) {
      const [after, before] = [of(now, type), of(old, type)];
      if (after.length > before.length)
        yield conditionsAt.forbidden(`updates may not add a condition of type "${type}"`);
      else if (after.length === before.length && !semanticEqual(after, before)) {
        yield conditionsAt.forbidden(`updates may not modify a condition of type "${type}"\n`);
      }
    }
  }
  const certificate = fieldPath("status", "certificate");
  if ((now.status?.certificate ?? "") === (old.status?.certificate ?? "")) return;
  if (allowed.certificate !== true) yield certificate.forbidden("updates may not set certificate content");
  else if (old.status?.certificate) yield certificate.forbidden("updates may not modify existing certificate content");
  else if (!isPem(now.status?.certificate ?? "")) {
    yield certificate.invalid("<certificate data>", "must contain at least one CERTIFICATE PEM block");
  }
}

/** Sets the times of conditions: when they were first set and when they last changed. */
function timed(request: Request, old: Request, { now }: StrategyContext): Request {
  const time = formatTime(now);
  const earlier = new Map(old.status?.conditions?.toReversed().map((condition) => [condition.type, condition]));
  return changed(request, "status", (status) =>
    changed(status, "conditions", (list) =>
      each(list, (condition) => {
        const before = earlier.get(condition.type);
        const updated = condition.lastUpdateTime ? condition : { ...condition, lastUpdateTime: time };
        if (updated.lastTransitionTime) return updated;
        const same = before !== undefined && before.status === condition.status;
        return having(updated, "lastTransitionTime", same ? (before.lastTransitionTime ?? time) : time);
      }),
    ),
  );
}

export const certificateRequestStrategy: Strategy<Request> = {
  group: "certificates.k8s.io",
  kind: "CertificateSigningRequest",
  validateName: () => [],
  prepareForCreate(request, { user }) {
    const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...asked } = request.spec;
    const { username, uid, groups, extra } = user;
    return {
      ...request,
      spec: {
        ...asked,
        username,
        ...defined({ uid: uid || undefined, groups: unlessEmpty(groups) }),
        ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
      },
    };
  },
  prepareForUpdate: (request, old) => ({ ...request, spec: old.spec }),
  validateCreate: requestRules,
  validateUpdate: (request, old) => requestChanges(request, old, {}),
  status: {
    prepareForUpdate: timed,
    validateUpdate: (request, old) => requestChanges(request, old, { certificate: true }),
  },
  subresources: {
    approval: {
      prepareForUpdate(request, old, context) {
        const list = timed(request, old, context).status?.conditions;
        return { ...request, spec: old.spec, status: having({ ...old.status }, "conditions", list) };
      },
      validateUpdate: (request, old) => requestChanges(request, old, { approval: true }),
    },
  },
  selectableFields: { "spec.signerName": ({ spec: given }) => given.signerName ?? "" },
};
