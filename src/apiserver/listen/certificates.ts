/** The peers of connections: their addresses, and the subjects of certificates that an authority of the listener vouches for. */
import { pemCertificates } from "../../base/x509/certificate.js";
import { createHash, X509Certificate } from "node:crypto";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import type { CertificateIdentity } from "../auth/authenticate.js";
import { type FrontProxyOptions, isUserHeader } from "../auth/front-proxy.js";
import type { Request } from "./incoming.js";

interface Trusted {
  readonly clientAuthority?: string;
  readonly trustedProxies?: FrontProxyOptions;
}

type Identity = CertificateIdentity | "untrusted";

/** The other end of a connection. */
export interface Peer {
  readonly certificate: Identity | undefined;
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
}

const fingerprintsIn = (pem: string): ReadonlySet<string> =>
  new Set(pemCertificates(pem).map((block) => new X509Certificate(block).fingerprint256));

/** The attribute of a subject by which upstream knows a user's uid. */
const uidAttribute = "1.3.6.1.4.1.57683.2";

export class Certificates {
  /** By connection: nothing of a peer changes between requests. */
  readonly #known = new WeakMap<object, Peer>();
  readonly #clients: ReadonlySet<string>;
  readonly #proxies: ReadonlySet<string> | undefined;
  /** Undefined if no header but those of impersonation may be repeated with a meaning. */
  readonly isRepeatable: ((name: string) => boolean) | undefined;

  constructor({ clientAuthority = "", trustedProxies }: Trusted) {
    this.#clients = fingerprintsIn(clientAuthority);
    this.#proxies = trustedProxies && fingerprintsIn(trustedProxies.authority);
    this.isRepeatable = trustedProxies && isUserHeader(trustedProxies);
  }

  of(request: Request): Peer {
    // over HTTP/2 the socket is a proxy, which takes its time
    const connection = ("stream" in request ? request.stream.session : undefined) ?? request.socket;
    let peer = this.#known.get(connection);
    if (peer === undefined) {
      const socket = request.socket as TLSSocket;
      const { remoteAddress, remotePort } = socket;
      this.#known.set(connection, (peer = { certificate: this.#read(socket), remoteAddress, remotePort }));
    }
    return peer;
  }

  #read(socket: TLSSocket): Identity | undefined {
    if (typeof socket.getPeerCertificate !== "function") return undefined;
    const peer = socket.getPeerCertificate(true);
    const { subject, raw } = peer;
    if (socket.authorized !== true) return subject === undefined ? undefined : "untrusted";
    // typed as string, but several organizations come as a list
    const names = (subject ?? {}) as unknown as Readonly<Record<string, string | readonly string[]>>;
    const { CN, O, [uidAttribute]: uid } = names;
    if (typeof CN !== "string") return undefined;
    const fingerprint = createHash("sha256").update(raw).digest("hex");
    const organizations = O === undefined ? [] : typeof O === "string" ? [O] : O;
    const trustedAs = this.#trustedAs(peer);
    return { commonName: CN, organizations, fingerprint, trustedAs, ...(typeof uid === "string" ? { uid } : {}) };
  }

  /** OpenSSL has verified the chain against all authorities together; the chain shows which of them it was. */
  #trustedAs(peer: DetailedPeerCertificate): CertificateIdentity["trustedAs"] {
    if (this.#proxies === undefined) return clients;
    const trusted = new Set<"client" | "front proxy">();
    for (let one: DetailedPeerCertificate | undefined = peer; one?.fingerprint256 !== undefined; ) {
      if (this.#clients.has(one.fingerprint256)) trusted.add("client");
      if (this.#proxies.has(one.fingerprint256)) trusted.add("front proxy");
      const next: DetailedPeerCertificate | undefined = one.issuerCertificate;
      one = next === one ? undefined : next;
    }
    return trusted;
  }
}

const clients: CertificateIdentity["trustedAs"] = new Set(["client"]);
