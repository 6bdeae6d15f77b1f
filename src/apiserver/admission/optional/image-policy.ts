/** ImagePolicyWebhook: another server decides by the images of a pod whether the pod may exist; its answers are kept for a while. */
import { messageOf } from "../../../base/index.js";
import { newForbidden, type Pod } from "../../../api/index.js";
import { type Asking, askWebhook } from "../../auth/remote/ask.js";
import { Expiring } from "../../auth/remote/expiring.js";
import { flagIn, membersIn, textIn } from "../../auth/remote/members.js";
import type { HookEndpoint } from "../../configuration/kubeconfig.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";

export interface ImagePolicy {
  readonly endpoint: HookEndpoint;
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  /** The pause before a question is asked again. */
  readonly retryMs: number;
  /** Whether a pod may exist if nobody answers. */
  readonly defaultAllow: boolean;
}

interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: Readonly<Record<string, unknown>>;
}

const timeoutMs = 30_000;
const maxKept = 1_024;
const auditPrefix = "imagepolicywebhook.image-policy.k8s.io/";

export function imagePolicyWebhook(policy: ImagePolicy, parts: Asking): AdmissionPlugin {
  const kept = new Expiring<Verdict>(parts.clock, maxKept);
  const verdictOn = async (spec: object): Promise<Verdict> => {
    const key = JSON.stringify(spec);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const { endpoint, retryMs } = policy;
    const review = { kind: "ImageReview", apiVersion: "imagepolicy.k8s.io/v1alpha1", spec };
    const verdict = verdictIn(await askWebhook({ endpoint, timeoutMs, review, firstPauseMs: retryMs }, parts));
    kept.set(key, verdict, verdict.allowed ? policy.allowTtlMs : policy.denyTtlMs);
    return verdict;
  };
  return {
    name: "ImagePolicyWebhook",
    validate: (request) => (isJudged(request) ? judge(request, policy, verdictOn) : undefined),
  };
}

function isJudged({ operation, resource, subresource }: AdmissionRequest): boolean {
  const isPod = resource.group === "" && resource.resource === "pods";
  return isPod && ["CREATE", "UPDATE"].includes(operation) && ["", "ephemeralcontainers"].includes(subresource);
}

async function judge(
  request: AdmissionRequest,
  { defaultAllow }: ImagePolicy,
  verdictOn: (spec: object) => Promise<Verdict>,
): Promise<void> {
  const pod = request.object as Pod;
  const refusal = (why: string): Error => newForbidden({ group: "", resource: "pods" }, request.name, why);
  let verdict: Verdict;
  try {
    verdict = await verdictOn(specOf(request, pod));
  } catch (error) {
    if (!defaultAllow) throw refusal(messageOf(error));
    return request.annotate?.(`${auditPrefix}failed-open`, "true");
  }
  for (const [key, value] of Object.entries(verdict.auditAnnotations))
    if (typeof value === "string") request.annotate?.(`${auditPrefix}${key}`, value);
  if (verdict.allowed) return;
  const { reason } = verdict;
  const denied = "image policy webhook backend denied one or more images";
  throw refusal(reason === "" ? "one or more images rejected by webhook backend" : `${denied}: ${reason}`);
}

function specOf({ subresource, namespace }: AdmissionRequest, { metadata, spec }: Pod): object {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  const judged = subresource === "" ? [...containers, ...initContainers] : ephemeralContainers;
  const told = Object.entries(metadata.annotations ?? {})
    .filter(([key]) => key.includes(".image-policy.k8s.io/"))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...(judged.length === 0 ? {} : { containers: judged.map(({ image = "" }) => (image === "" ? {} : { image })) }),
    ...(told.length === 0 ? {} : { annotations: Object.fromEntries(told) }),
    namespace,
  };
}

function verdictIn(status: Readonly<Record<string, unknown>>): Verdict {
  const auditAnnotations = membersIn(status, "auditAnnotations");
  return { allowed: flagIn(status, "allowed"), reason: textIn(status, "reason"), auditAnnotations };
}
