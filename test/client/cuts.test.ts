/** Connections that are cut at any point, in any way: each request ends at once, by an answer or by an error. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { Lifetime, type Random, seededRandom, systemClock } from "../../src/base/index.js";
import { isConnectionFailure } from "../../src/client/index.js";
import { borrowed } from "../../src/client/transport/body-queue.js";
import { type HttpTransport, httpTransport } from "../../src/client/http-transport.js";
import { authority, serveH1, serveH2, type Serving } from "./servers.js";

const full = process.env["COXSWAIN_FULL"] === "1";
const rounds = full ? 200 : 40;
const material = { ca: authority.certificate };

/** A reset, an orderly end that waits for the other side, or both sides gone. */
type Manner = "reset" | "end" | "destroy";
const manners: readonly Manner[] = ["reset", "end", "destroy"];

/** The place where a connection is cut: after this number of bytes in one direction; at 0 as soon as it is accepted. */
interface Cut {
  readonly direction: "up" | "down";
  readonly bytes: number;
  readonly manner: Manner;
}

interface Cutter extends AsyncDisposable {
  readonly url: URL;
  /** Decides about each new connection. */
  plan: () => Cut | undefined;
  cutAll(manner: () => Manner): void;
}

async function startCutter(to: string): Promise<Cutter> {
  const far = new URL(to);
  const open = new Set<(manner: Manner) => void>();
  const sockets = new Set<Socket>();
  const cutter = { plan: (): Cut | undefined => undefined };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const away = connect({ port: Number(far.port), host: far.hostname, allowHalfOpen: true });
    const cut = cutter.plan();
    const end = (manner: Manner): void => {
      if (!open.delete(end)) return;
      away.destroy();
      if (manner === "reset") near.resetAndDestroy();
      else if (manner === "end") near.end();
      else near.destroy();
    };
    open.add(end);
    for (const socket of [near, away]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("end", () => end("end"));
      socket.on("close", () => {
        sockets.delete(socket);
        end("destroy");
      });
    }
    // once the client has hung up, nothing holds its side
    near.on("end", () => near.destroy());
    if (cut?.bytes === 0) return end(cut.manner);
    passOn(away, near, cut?.direction === "down" ? { cut, end } : undefined, () => open.has(end));
    passOn(near, away, cut?.direction === "up" ? { cut, end } : undefined, () => open.has(end));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(cutter, {
    url: new URL(`${far.protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`),
    cutAll(manner: () => Manner) {
      for (const end of open) end(manner());
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  });
}

function passOn(
  from: Socket,
  to: Socket,
  at: { readonly cut: Cut; end(manner: Manner): void } | undefined,
  isOpen: () => boolean,
): void {
  let left = at?.cut.bytes ?? Number.POSITIVE_INFINITY;
  from.on("data", (chunk) => {
    if (!isOpen()) return;
    to.write(chunk.length > left ? chunk.subarray(0, left) : chunk);
    left -= chunk.length;
    if (left <= 0) at?.end(at.cut.manner);
  });
}

/** Answers at once, in parts, never, with much, or with a farewell. */
const paths = ["/small", "/small", "/big", "/never", "/head", "/watch", "/goaway"];
/** The paths whose answers have an end. */
const finite: ReadonlySet<string> = new Set(["/small", "/big", "/goaway"]);

async function serveModern(): Promise<Serving> {
  const serving = await serveH2(
    (stream, { ":path": path }) => {
      if (stream.destroyed || path === "/never") return;
      stream.resume();
      stream.respond({ ":status": 200 });
      if (path === "/watch") stream.write("x".repeat(300));
      else if (path === "/goaway") {
        stream.write("x");
        stream.session?.goaway(0, stream.id);
        stream.end("y");
      } else if (path !== "/head") stream.end("y".repeat(path === "/big" ? 3_000_000 : 400));
    },
    { maxConcurrentStreams: 10 },
  );
  serving.server.on("sessionError", () => {});
  return serving;
}

function serveClassic(): Promise<Serving> {
  return serveH1((request, response) => {
    if (request.url === "/never") return;
    request.resume();
    response.on("error", () => {});
    if (request.url === "/watch") response.write("x".repeat(300));
    else if (request.url === "/goaway") response.setHeader("connection", "close").end("y");
    else if (request.url === "/head") response.flushHeaders();
    else response.end("y".repeat(request.url === "/big" ? 3_000_000 : 400));
  });
}

async function exchange(http: HttpTransport, path: string, random: Random): Promise<"answered" | "broken"> {
  const sent = random.next() < 0.4 ? Buffer.alloc(random.int(random.next() < 0.2 ? 200_000 : 1_000)) : undefined;
  const bodyless = { method: "GET", path, headers: {} };
  const never = new AbortController().signal;
  try {
    const response = await http.send(
      sent === undefined ? bodyless : { ...bodyless, method: "POST", body: sent },
      never,
    );
    const body = random.next() < 0.5 ? borrowed(response.body) : response.body;
    if (!(body instanceof Uint8Array)) for await (const _ of body) if (random.next() < 0.01) break;
    return "answered";
  } catch (error) {
    if (!isConnectionFailure(error, "closed", "refused")) throw error;
    return "broken";
  }
}

const protocols = [
  ["HTTP/2", serveModern],
  ["HTTP/1.1", serveClassic],
] as const;

for (const [protocol, serve] of protocols)
  test(`every request on ${protocol} connections that are cut anywhere ends at once (${rounds} rounds)`, async () => {
    await using lifetime = new Lifetime();
    const server = lifetime.use(await serve());
    const cutter = lifetime.use(await startCutter(server.url));
    const seen = { answered: 0, broken: 0 };
    for (let seed = 1; seed <= rounds; seed++) {
      const random = seededRandom(seed);
      const manner = (): Manner => manners[random.int(3)] ?? "reset";
      const depth = (): number => random.int([3_000, 10_000, 200_000][random.int(3)] ?? 1);
      cutter.plan = () =>
        random.next() < 0.85
          ? { direction: random.next() < 0.5 ? "down" : "up", bytes: depth(), manner: manner() }
          : undefined;
      await using http = httpTransport({ server: cutter.url, tls: async () => material });
      const pending = new Set<Promise<void>>();
      const ending: Promise<void>[] = [];
      for (let i = 0; i < 25; i++) {
        const path = paths[random.int(paths.length)] ?? "";
        const one: Promise<void> = exchange(http, path, random).then((outcome) => {
          seen[outcome]++;
          pending.delete(one);
        });
        pending.add(one);
        if (finite.has(path)) ending.push(one);
        if (random.next() < 0.5) await systemClock.sleep(random.int(4), new AbortController().signal);
      }
      // how far they have come by now depends on the machine: in half of the rounds all come to their ends first
      if (seed % 2 === 0) await Promise.all(ending);
      // from now on no connection succeeds: each open one must end by the cut alone
      cutter.plan = () => ({ direction: "up", bytes: 0, manner: manner() });
      cutter.cutAll(manner);
      const end = new AbortController();
      // sooner than a ping that nobody answers would end it
      const tooLate = systemClock.sleep(25_000, end.signal).then(
        () => true,
        () => false,
      );
      const late = await Promise.race([Promise.all(pending).then(() => false), tooLate]);
      end.abort();
      expect({ seed, late, pending: pending.size }).toEqual({ seed, late: false, pending: 0 });
    }
    expect(seen.answered).toBeGreaterThan(rounds);
    expect(seen.broken).toBeGreaterThan(rounds);
  });
