/** Adds credentials to each request. Wraps a transport. */
import { readFile } from "node:fs/promises";
import { abortable, type Clock, type HttpHeaders, type HttpResponse, type Transport } from "../../base/index.js";
import { headerMerger } from "../request/exchange.js";
import { ConnectionError, messageOf } from "../failure.js";
import type { AccessConfig } from "./access.js";
import type { ExecCredential, ExecCredentials } from "./exec-plugin.js";
import type { Impersonation } from "./kubeconfig.js";

export interface Credentials {
  /** The headers to send now. */
  headers(): HttpHeaders | Promise<HttpHeaders>;
  /** Called when the server refused the credentials: looks for newer ones, and tells whether there are any. */
  refresh(refused: HttpHeaders): Promise<boolean>;
}

export interface CredentialsOptions {
  readonly access: AccessConfig;
  readonly exec: ExecCredentials | undefined;
  readonly clock: Clock;
}

export function credentialsOf({ access, exec, clock }: CredentialsOptions): Credentials {
  const fixed = access.impersonate === undefined ? {} : impersonationHeaders(access.impersonate);
  const { basic, token, tokenFile } = access;
  if (basic !== undefined) {
    const pair = Buffer.from(`${basic.username}:${basic.password.reveal()}`).toString("base64");
    return unchanging({ ...fixed, authorization: `Basic ${pair}` });
  }
  // the file wins over the token, because it is rotated
  if (tokenFile !== undefined) return fromTokenFile(tokenFile, { fixed, clock, first: token?.reveal() });
  if (token !== undefined) return unchanging({ ...fixed, authorization: `Bearer ${token.reveal()}` });
  if (exec !== undefined) return fromPlugin(exec, fixed);
  return unchanging(fixed);
}

export interface AuthenticatedOptions {
  readonly credentials: Credentials;
  /** Called when a refusal led to newer credentials, before they are used. */
  onRefreshed?(): Promise<void>;
}

/** Adds the headers to each request; a 401 is repeated once if there are newer credentials. */
export function authenticated(send: Transport, { credentials, onRefreshed }: AuthenticatedOptions): Transport {
  let merge = { identity: {} as HttpHeaders, with: headerMerger({}) };
  const withIdentity = (identity: HttpHeaders, headers: HttpHeaders): HttpHeaders => {
    if (identity !== merge.identity) merge = { identity, with: headerMerger(identity) };
    // impersonation headers of the request itself win
    return merge.with(headers);
  };
  const identityNow = async (signal: AbortSignal): Promise<HttpHeaders> => {
    const found = credentials.headers();
    return found instanceof Promise ? abortable(found, signal) : found;
  };
  return async (request, signal) => {
    const found = credentials.headers();
    const identity = found instanceof Promise ? await abortable(found, signal) : found;
    const response = await send({ ...request, headers: withIdentity(identity, request.headers) }, signal);
    if (response.status !== 401 || "authorization" in request.headers) return response;
    if (!(await abortable(credentials.refresh(identity), signal))) return response;
    await discard(response);
    await onRefreshed?.();
    return send({ ...request, headers: withIdentity(await identityNow(signal), request.headers) }, signal);
  };
}

async function discard({ body }: HttpResponse): Promise<void> {
  if (!(body instanceof Uint8Array)) await body[Symbol.asyncIterator]().return?.();
}

function unchanging(headers: HttpHeaders): Credentials {
  return { headers: () => headers, refresh: async () => false };
}

/**
 * Tokens are rotated about every 50 minutes and live an hour: a minute of staleness does no harm, and avoids reading
 * the file for every request.
 */
const tokenFileTtlMs = 50_000;

interface TokenFileOptions {
  readonly fixed: HttpHeaders;
  readonly clock: Clock;
  /** The token to send until the file can be read. */
  readonly first: string | undefined;
}

function fromTokenFile(file: string, { fixed, clock, first }: TokenFileOptions): Credentials {
  const headersFor = (token: string): HttpHeaders => ({ ...fixed, authorization: `Bearer ${token}` });
  let current = first === undefined ? undefined : headersFor(first);
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<HttpHeaders> | undefined;

  async function read(): Promise<HttpHeaders> {
    try {
      const token = (await readFile(file, "utf8")).trim();
      if (token === "") throw new Error("the file is empty");
      if (current?.["authorization"] !== `Bearer ${token}`) current = headersFor(token);
    } catch (error) {
      // an old token may still be valid
      if (current === undefined) {
        throw new ConnectionError("credentials", `the token file ${file} cannot be read: ${messageOf(error)}`, {
          cause: error,
        });
      }
    } finally {
      reading = undefined;
    }
    freshUntilMs = clock.monotonic() + tokenFileTtlMs;
    return current;
  }

  return {
    headers() {
      if (current !== undefined && clock.monotonic() < freshUntilMs) return current;
      reading ??= read();
      return reading;
    },
    async refresh(refused) {
      reading ??= read();
      return (await reading)["authorization"] !== refused["authorization"];
    },
  };
}

function fromPlugin(exec: ExecCredentials, fixed: HttpHeaders): Credentials {
  const sent = new WeakMap<HttpHeaders, ExecCredential>();
  let last: { readonly credential: ExecCredential; readonly headers: HttpHeaders } | undefined;
  return {
    async headers() {
      const credential = await exec.current();
      if (last?.credential !== credential) {
        const { token } = credential;
        const headers = token === undefined ? { ...fixed } : { ...fixed, authorization: `Bearer ${token.reveal()}` };
        last = { credential, headers };
        sent.set(headers, credential);
      }
      return last.headers;
    },
    async refresh(refused) {
      const stale = sent.get(refused);
      return stale !== undefined && (await exec.replace(stale));
    },
  };
}

export function impersonationHeaders({ user, uid, groups = [], extra = {} }: Impersonation): HttpHeaders {
  const headers: Record<string, string | readonly string[]> = {};
  if (user !== undefined) headers["impersonate-user"] = user;
  if (uid !== undefined) headers["impersonate-uid"] = uid;
  if (groups.length > 0) headers["impersonate-group"] = groups;
  for (const [key, values] of Object.entries(extra)) {
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase()).toLowerCase()}`] = values;
  }
  return headers;
}
