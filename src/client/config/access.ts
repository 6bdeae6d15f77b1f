/** The outcome of configuration: the server, the connection's settings and the identity, with everything decided. */
import type { Redacted } from "./redacted.js";
import type { ExecPlugin, Impersonation } from "./kubeconfig.js";

/** A certificate or key: in a file that may be rotated, or as PEM. */
export type PemSource = { readonly file: string } | { readonly pem: Redacted };

export interface AccessConfig {
  /** The origin of the configuration, for messages. */
  readonly source: string;
  readonly context?: string;
  readonly server: URL;
  /** The namespace of the context; `default` if it names none. */
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
    /** The facts about the cluster that are passed to a plug-in that asks for them. */
    readonly cluster?: Readonly<Record<string, unknown>>;
  };
  readonly impersonate?: Impersonation;
}
