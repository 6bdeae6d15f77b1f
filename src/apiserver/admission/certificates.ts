/**
 * Admission of certificate requests: who may approve and sign for a signer, and which subjects the signer of ordinary
 * clients refuses.
 */
import { type CertificateSigningRequest, newForbidden, semanticEqual } from "../../api/index.js";
import { parseRequest } from "../../base/x509/request.js";
import type { AdmissionPlugin, AdmissionRequest } from "../contracts/admission.js";
import { type Authorizer, type Decide, deciding } from "../contracts/authorizer.js";
import { mastersGroup } from "../contracts/user.js";

const signer = "kubernetes.io/kube-apiserver-client";

export const subjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  validate({ operation, resource, subresource, object, name }) {
    if (operation !== "CREATE" || subresource !== "" || resource.resource !== "certificatesigningrequests") return;
    const { spec } = object as CertificateSigningRequest;
    if (spec.signerName !== signer || !organizations(spec.request ?? "").includes(mastersGroup)) return;
    throw newForbidden(resource, name, `use of ${signer} signer with ${mastersGroup} group is not allowed`);
  },
};

/** A request that cannot be read has none; validation refuses it. */
function organizations(request: string): readonly string[] {
  try {
    return parseRequest(Buffer.from(request, "base64").toString("latin1")).organizations;
  } catch {
    return [];
  }
}

const isAbout = ({ operation, resource, subresource }: AdmissionRequest, part: string): boolean =>
  operation === "UPDATE" && subresource === part && resource.resource === "certificatesigningrequests";

/** Requires that the user may act for the signer: by its name, or for all signers of its domain. */
function requireActing(request: AdmissionRequest, verb: "approve" | "sign", decide: Decide): void {
  const { signerName } = (request.old as CertificateSigningRequest).spec;
  const [domain = ""] = signerName.split("/");
  const isAllowed = [signerName, `${domain}/*`].some(
    (name) =>
      decide(request.user, {
        type: "resource",
        verb,
        group: "certificates.k8s.io",
        version: "*",
        namespace: "",
        inNamespace: false,
        resource: "signers",
        name,
        subresource: "",
        rest: [],
      }).allowed,
  );
  if (isAllowed) return;
  const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`;
  throw newForbidden(request.resource, request.name, why);
}

export const certificateApproval = (authorizer: Authorizer): AdmissionPlugin => ({
  name: "CertificateApproval",
  validate(request) {
    if (!isAbout(request, "approval")) return;
    return deciding(authorizer, (decide) => requireActing(request, "approve", decide));
  },
});

export const certificateSigning = (authorizer: Authorizer): AdmissionPlugin => ({
  name: "CertificateSigning",
  validate(request) {
    if (!isAbout(request, "status")) return;
    const [old, now] = [request.old, request.object] as [CertificateSigningRequest, CertificateSigningRequest];
    const isSame = (old.status?.certificate ?? "") === (now.status?.certificate ?? "");
    if (isSame && semanticEqual(old.status?.conditions ?? [], now.status?.conditions ?? [])) return;
    return deciding(authorizer, (decide) => requireActing(request, "sign", decide));
  },
});
