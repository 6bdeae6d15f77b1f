/**
 * CertificateSubjectRestriction: refuses requests to the signer of ordinary clients that would make their holder an
 * administrator.
 */
import { type CertificateSigningRequest, newForbidden } from "../../api/index.js";
import type { AdmissionPlugin } from "../contracts/admission.js";

const signer = "kubernetes.io/kube-apiserver-client";
const masters = "system:masters";

export const subjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  validate({ operation, resource, subresource, object, name }) {
    if (operation !== "CREATE" || subresource !== "" || resource.resource !== "certificatesigningrequests") return;
    const { spec } = object as CertificateSigningRequest;
    if (spec.signerName !== signer || !organizations(spec.request ?? "").includes(masters)) return;
    throw newForbidden(resource, name, `use of ${signer} signer with ${masters} group is not allowed`);
  },
};

/** The object identifier 2.5.4.10 (organizationName) in DER; the value follows it: its tag, its length, its bytes. */
const organization = Buffer.from([0x06, 0x03, 0x55, 0x04, 0x0a]);

/** The organizations of a certificate request: every value that follows the identifier. */
function organizations(request: string): readonly string[] {
  const pem = Buffer.from(request, "base64").toString("latin1");
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ""), "base64");
  const found: string[] = [];
  for (let at = der.indexOf(organization); at >= 0; at = der.indexOf(organization, at + 1)) {
    const length = at + organization.length + 1;
    found.push(der.subarray(length + 1, length + 1 + (der[length] ?? 0)).toString());
  }
  return found;
}
