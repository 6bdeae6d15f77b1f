/** Reads one document from another server, and follows redirects; errors are in Go's words, which users search for. */
import { defined } from "../../base/defined.js";
import { hostOf, type Received, send } from "./send.js";
import { goWords } from "../../base/net/go-words.js";

export interface GetOptions {
  /** The authorities of the server's certificate, in PEM; those of the machine if absent. */
  readonly ca?: string | undefined;
  readonly token?: string | undefined;
  readonly signal: AbortSignal;
}

const maxRedirects = 10;

/** Rejects if no answer comes, or after too many redirects. A token goes to the first server alone. */
export async function getFrom(address: string, { ca, token, signal }: GetOptions): Promise<Received> {
  let url = parsed(address);
  for (let count = 0; ; count++) {
    const isSecure = url.protocol === "https:";
    const host = hostOf(url);
    const options = {
      method: "GET",
      host,
      path: url.pathname + url.search,
      agent: false,
      signal,
      allowPartialTrustChain: true,
      headers: {
        accept: "application/json, */*",
        "user-agent": "kube-apiserver",
        ...(token === undefined || count > 0 ? {} : { authorization: `Bearer ${token}` }),
      },
      ...defined({ port: url.port || undefined, ca }),
    };
    const answer = await send(options, undefined, isSecure).catch((error: unknown) => {
      const port = Number(url.port || (isSecure ? 443 : 80));
      throw new Error(`Get ${JSON.stringify(url.href)}: ${goWords(error, { host, port }, signal.aborted)}`);
    });
    const { location } = answer.headers;
    if (location === undefined || ![301, 302, 303, 307, 308].includes(answer.status)) return answer;
    if (count === maxRedirects) throw new Error(`Get ${JSON.stringify(address)}: stopped after 10 redirects`);
    const next = parsed(location, url);
    if (isSecure && next.protocol !== "https:")
      throw new Error(`Get ${JSON.stringify(address)}: it leads to ${next.href}, which is not secure`);
    url = next;
  }
}

function parsed(address: string, base?: URL): URL {
  const url = URL.canParse(address, base?.href) ? new URL(address, base) : undefined;
  if (url?.protocol === "https:" || url?.protocol === "http:") return url;
  throw new Error(`Get ${JSON.stringify(address)}: unsupported protocol scheme`);
}
