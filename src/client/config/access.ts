/** How to reach a server and as whom, with everything decided: the outcome of configuration. From resolve.ts; to connect.ts. */
import type { Redacted } from "./redacted.js";
import type { ExecPlugin, Impersonation } from "./kubeconfig.js";

/** A certificate or key: as a file that may be rotated, or as PEM. */
export type PemSource = { readonly file: string } | { readonly pem: Redacted };

export interface AccessConfig {
  /** Where this came from, for messages. */
  readonly source: string;
  readonly context?: string;
  readonly server: URL;
  /** The namespace that the context names; `default` if none does. */
  readonly namespace: string;
  readonly ca?: PemSource;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  readonly proxy?: Redacted;
  readonly compression?: boolean;
  readonly clientCertificate?: { readonly cert: PemSource; readonly key: PemSource };
  readonly token?: Redacted;
  readonly tokenFile?: string;
  readonly basic?: { readonly username: string; readonly password: Redacted };
  readonly exec?: ExecPlugin & {
    /** What the plug-in is told of the cluster, if it wants to know. */
    readonly cluster?: Readonly<Record<string, unknown>>;
  };
  readonly impersonate?: Impersonation;
}
