/** The controllers of certificate signing requests: the approver of kubelets' requests, the built-in signers, the cleaner. */
import { defined } from "../../base/defined.js";
import {
  CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  formatTime,
  isConflict,
  isNotFound,
  SubjectAccessReview,
  unless,
} from "../../api/index.js";
import { messageOf } from "../../base/index.js";
import { type CertificateRequest, parseRequest } from "../../base/x509/request.js";
import { type Signer, signerOf } from "../../base/x509/sign.js";
import type { KeyRun, SyncResult } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop, objectLoop } from "../kit/loops.js";
import { awaitsSignature, backdateMs, endOfLife, isDecided, isStale, signerRules, signers } from "./rules.js";

type Request = CertificateSigningRequest;

/** The requested certificate; undefined for a request that cannot be read, which nobody can answer. */
function read({ spec }: Request): CertificateRequest | undefined {
  try {
    return parseRequest(Buffer.from(spec.request ?? "", "base64").toString("latin1"));
  } catch {
    return undefined;
  }
}

interface Handling {
  readonly name: string;
  handle(request: Request, run: KeyRun): Promise<SyncResult | void>;
}

/** A loop over all signing requests. A request that is gone, or that others have changed, will wake it again. */
function following(context: ControllerContext, { name, handle }: Handling): BuiltInController {
  const requests = context.informers.informer(CertificateSigningRequest);
  const sync = (request: Request, run: KeyRun): Promise<SyncResult | void> =>
    handle(request, run).catch(unless(isNotFound, isConflict));
  const loop = objectLoop(context, requests, { name, workers: 5, sync });
  loop.follow(requests);
  return { loops: [loop] };
}

const recognized = [
  {
    permission: "selfnodeclient",
    isIt: ({ spec }: Request, { commonName }: CertificateRequest) => spec.username === commonName,
    message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
  },
  {
    permission: "nodeclient",
    isIt: () => true,
    message: "Auto approving kubelet client certificate after SubjectAccessReview.",
  },
] as const;

/** Approves the client certificates of kubelets whose users may have them; all other requests wait for a person. */
export const approver = (context: ControllerContext): BuiltInController =>
  following(context, {
    name: "csrapproving",
    async handle(request, { client }) {
      if (request.status?.certificate || isDecided(request)) return;
      const asked = read(request);
      const { signerName, usages = [] } = request.spec;
      if (asked === undefined || signerName !== signers.kubeletClient) return;
      if (signerRules.get(signerName)?.(asked, usages) !== undefined) return;
      for (const { permission, isIt, message } of recognized) {
        if (!isIt(request, asked) || !(await mayHave(request, permission, client))) continue;
        const condition = { type: "Approved", status: "True", reason: "AutoApproved", message } as const;
        await client
          .resource(CertificateSigningRequest)
          .subresource("approval")
          .update(withCondition(request, condition));
        return;
      }
    },
  });

async function mayHave({ spec }: Request, subresource: string, client: KeyRun["client"]): Promise<boolean> {
  const { username, uid, groups, extra } = spec;
  const review = await client.resource(SubjectAccessReview).create({
    metadata: {},
    spec: {
      ...defined({ user: username, uid, groups, extra }),
      resourceAttributes: {
        group: "certificates.k8s.io",
        resource: "certificatesigningrequests",
        verb: "create",
        subresource,
        version: "*",
      },
    },
  });
  return review.status?.allowed ?? false;
}

const withCondition = (request: Request, condition: CertificateSigningRequestCondition): Request => ({
  ...request,
  status: { ...request.status, conditions: [...(request.status?.conditions ?? []), condition] },
});

/** Signs the approved requests of the four built-in signers; undefined without an authority's certificate and key. */
export function signing(context: ControllerContext): BuiltInController | undefined {
  const { signer: authority } = context.credentials;
  if (authority === undefined) return undefined;
  const signer = signerOf(authority);
  return following(context, {
    name: "csrsigning",
    async handle(request, { client }) {
      const { signerName, usages = [] } = request.spec;
      const rule = signerRules.get(signerName);
      if (rule === undefined || !awaitsSignature(request)) return;
      const asked = read(request);
      if (asked === undefined) return;
      const now = context.clock.now();
      const problem = rule(asked, usages);
      const answered = problem === undefined ? signed(request, asked, { signer, now }) : failed(request, problem, now);
      if (answered instanceof Error) {
        context.log.warn("a certificate cannot be signed", { request: request.metadata.name, why: answered.message });
        return;
      }
      await client.resource(CertificateSigningRequest).status.update(answered);
    },
  });
}

const failed = (request: Request, message: string, now: number): Request =>
  withCondition(request, {
    type: "Failed",
    status: "True",
    reason: "SignerValidationFailure",
    message,
    lastUpdateTime: formatTime(now),
  });

function signed(
  request: Request,
  asked: CertificateRequest,
  { signer, now }: { readonly signer: Signer; readonly now: number },
): Request | Error {
  if (asked.fault !== undefined) return new Error(`unable to verify certificate request signature: ${asked.fault}`);
  if (now >= signer.notAfter) return new Error("the signer has expired");
  const { usages = [], expirationSeconds } = request.spec;
  try {
    const notAfter = endOfLife(expirationSeconds, now);
    const certificate = signer.sign({ ...asked, usages, notBefore: now - backdateMs, notAfter });
    return { ...request, status: { ...request.status, certificate: Buffer.from(certificate).toString("base64") } };
  } catch (error) {
    return new Error(messageOf(error), { cause: error });
  }
}

const cleanEveryMs = 3_600_000;

/** Deletes requests that are of no use any more; looks at all of them every hour. */
export function cleaner(context: ControllerContext): BuiltInController {
  const requests = context.informers.informer(CertificateSigningRequest);
  const sync = async ({ client }: KeyRun): Promise<SyncResult> => {
    for (const request of requests.indexer.list()) {
      if (!isStale(request, context.clock.now())) continue;
      await client.resource(CertificateSigningRequest).delete(request.metadata).catch(unless(isNotFound));
    }
    return { requeueAfterMs: cleanEveryMs };
  };
  const loop = keyLoop(context, { name: "csrcleaner", kind: "CertificateSigningRequest", workers: 1, sync });
  loop.add("all");
  return { loops: [loop] };
}
