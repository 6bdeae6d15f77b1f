/** Writes the kubeconfig by which an administrator's kubectl finds and trusts the server. */
import type { KeyAndCertificate } from "../../base/x509/certificate.js";

export interface KubeconfigOptions {
  readonly server: string;
  /** The certificate, in PEM, of the authority that signed the server's certificate. */
  readonly authority?: string;
  readonly client?: KeyAndCertificate;
  readonly token?: string;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** YAML assembled by hand: all values are plain words, addresses or base64. */
export function kubeconfigOf({ server, authority, client, token }: KubeconfigOptions): string {
  const lines = [
    "apiVersion: v1",
    "kind: Config",
    "current-context: coxswain",
    "clusters:",
    "- name: coxswain",
    "  cluster:",
    `    server: ${server}`,
    ...(authority === undefined ? [] : [`    certificate-authority-data: ${base64(authority)}`]),
    "contexts:",
    "- name: coxswain",
    "  context:",
    "    cluster: coxswain",
    "    user: admin",
    "users:",
    "- name: admin",
    "  user:",
    ...(client === undefined
      ? []
      : [`    client-certificate-data: ${base64(client.certificate)}`, `    client-key-data: ${base64(client.key)}`]),
    ...(token === undefined ? [] : [`    token: ${JSON.stringify(token)}`]),
  ];
  return `${lines.join("\n")}\n`;
}
