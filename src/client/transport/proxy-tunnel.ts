/** Asks a proxy for a tunnel to the server: HTTP CONNECT or SOCKS 5. */
import type { Socket } from "node:net";
import { onAbort } from "../../base/index.js";
import { ConnectionError } from "../failure.js";
import { hostOf, portOf, printable } from "./endpoint.js";

export interface TunnelOptions {
  readonly proxy: URL;
  readonly server: URL;
  readonly signal: AbortSignal;
}

/** The same socket, now connected to the server. */
export async function throughProxy(socket: Socket, options: TunnelOptions): Promise<Socket> {
  const { protocol } = options.proxy;
  if (protocol === "http:" || protocol === "https:") await httpConnect(socket, options);
  else if (protocol === "socks5:" || protocol === "socks5h:") await socks5(socket, options);
  else throw refusedBy(options.proxy, `its protocol ${protocol} is not known: use http, https or socks5`);
  return socket;
}

export function refusedBy(proxy: URL, why: string): ConnectionError {
  return new ConnectionError("proxy", `the proxy ${printable(proxy)} gives no way through: ${why}`, {
    unprocessed: true,
  });
}

async function httpConnect(socket: Socket, { proxy, server, signal }: TunnelOptions): Promise<void> {
  const target = `${server.hostname}:${portOf(server)}`;
  const basic = proxyAuthorization(proxy);
  const authorization = basic === undefined ? "" : `Proxy-Authorization: ${basic}\r\n`;
  const reader = replyReader(socket, signal, proxy);
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
  const head = await reader.until((bytes) => {
    const end = bytes.indexOf("\r\n\r\n");
    return end === -1 ? undefined : end + 4;
  });
  const status = /^HTTP\/1\.[01] (\d{3})([^\r]*)/.exec(head.toString("latin1"));
  if (status?.[1] !== "200") throw refusedBy(proxy, status === null ? "not HTTP" : `${status[1]}${status[2]}`);
}

const socksFailures = [
  "succeeded",
  "general failure",
  "not allowed by its rules",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "TTL expired",
  "command not supported",
  "address type not supported",
];

/** RFC 1928 with RFC 1929: the proxy resolves the name. */
async function socks5(socket: Socket, { proxy, server, signal }: TunnelOptions): Promise<void> {
  const { username, password } = credentialsOf(proxy);
  const reader = replyReader(socket, signal, proxy);
  const [user, secret] = [Buffer.from(username), Buffer.from(password)];
  if (user.length > 255 || secret.length > 255) {
    throw refusedBy(proxy, "its user and its password have at most 255 bytes each");
  }
  const offered = username === "" ? [0] : [0, 2];
  socket.write(Buffer.from([5, offered.length, ...offered]));
  const [version, choice = 0xff] = await reader.until(atLeast(2));
  if (version !== 5 || !offered.includes(choice)) throw refusedBy(proxy, "it accepts no way to log in");
  if (choice === 2) {
    socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]));
    if ((await reader.until(atLeast(2)))[1] !== 0) throw refusedBy(proxy, "it refuses the user");
  }
  const host = Buffer.from(hostOf(server));
  const port = portOf(server);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, host.length]), host, Buffer.from([port >> 8, port & 0xff])]));
  const reply = await reader.until((bytes) => {
    if (bytes.length < 5) return undefined;
    const address = bytes[3] === 1 ? 4 : bytes[3] === 4 ? 16 : 1 + (bytes[4] as number);
    return bytes.length < 6 + address ? undefined : 6 + address;
  });
  if (reply[1] !== 0) throw refusedBy(proxy, socksFailures[reply[1] as number] ?? `code ${reply[1]}`);
}

function atLeast(count: number): (bytes: Buffer) => number | undefined {
  return (bytes) => (bytes.length < count ? undefined : count);
}

/** The Proxy-Authorization header, if the proxy's URL names a user. */
export function proxyAuthorization(proxy: URL): string | undefined {
  const { username, password } = credentialsOf(proxy);
  return username === "" ? undefined : `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function credentialsOf(proxy: URL): { readonly username: string; readonly password: string } {
  try {
    return { username: decodeURIComponent(proxy.username), password: decodeURIComponent(proxy.password) };
  } catch {
    throw refusedBy(proxy, "its user or its password has a % that begins no byte in UTF-8");
  }
}

/** Limit on a proxy's reply. */
const maxReplyBytes = 64 * 1024;

interface ReplyReader {
  /** Resolves with the first bytes once `length` gives their number; the rest stays for the next reader. */
  until(length: (bytes: Buffer) => number | undefined): Promise<Buffer>;
}

function replyReader(socket: Socket, signal: AbortSignal, proxy: URL): ReplyReader {
  return {
    until: (length) =>
      new Promise((resolve, reject) => {
        let bytes = Buffer.alloc(0);
        const stop = (): void => {
          socket.off("readable", read).off("end", ended).off("error", failed);
          aborting[Symbol.dispose]();
        };
        const failed = (error: Error): void => {
          stop();
          reject(error);
        };
        const ended = (): void => failed(refusedBy(proxy, "it closed the connection"));
        const read = (): void => {
          const chunk = socket.read() as Buffer | null;
          if (chunk !== null) bytes = Buffer.concat([bytes, chunk]);
          const end = length(bytes);
          if (end === undefined && bytes.length > maxReplyBytes) {
            return failed(refusedBy(proxy, `its reply has more than ${maxReplyBytes} bytes`));
          }
          if (end === undefined) return;
          stop();
          if (end < bytes.length) socket.unshift(bytes.subarray(end));
          resolve(bytes.subarray(0, end));
        };
        socket.on("readable", read).once("end", ended).once("error", failed);
        const aborting = onAbort(signal, (reason) => queueMicrotask(() => failed(reason)));
      }),
  };
}
