/** The bytes that a kubelet, a pod or an extension server answers to a forwarded request as a target. */
import { Duplex } from "node:stream";
import { forward, ForwardError, hopByHop } from "../../../../src/apiserver/outbound/forward.js";
import { FakeClock } from "../../../../src/base/index.js";
import { bytesOf, Finding, type Outcome, shapeOf, type TargetKind, withinTurns } from "../../target.js";

/** A connection on which the backend sends the bytes in two pieces and ends, whatever it is asked. */
function answering(bytes: Uint8Array): Duplex {
  const half = bytes.length >> 1;
  const pieces = [bytes.subarray(0, half), bytes.subarray(half)].filter((piece) => piece.length > 0);
  return new Duplex({
    read() {
      this.push(pieces.shift() ?? null);
    },
    write: (_chunk, _encoding, done) => done(),
  });
}

async function passedOn(input: Uint8Array, switches: boolean): Promise<string> {
  const connection = answering(input);
  const stop = new AbortController();
  const backend = { address: { host: "127.0.0.1", port: 1 }, trust: undefined, connection };
  const sent = { method: "GET", path: "/", headers: switches ? { connection: "Upgrade", upgrade: "a" } : {}, switches };
  try {
    const answer = await forward(sent, backend, { clock: new FakeClock(), signal: stop.signal });
    if (answer.status === 101) return answer.tunnel === undefined ? "no tunnel" : "a tunnel";
    const kept = Object.keys(answer.headers).filter((name) => hopByHop.has(name));
    if (kept.length > 0) throw new Finding(`headers about one connection are passed on: ${kept.join(", ")}`);
    return `${answer.status} ${await lengthOf(answer.body as AsyncIterable<Uint8Array>)}`;
  } catch (error) {
    if (error instanceof ForwardError) return shapeOf(error.message);
    throw error;
  } finally {
    stop.abort(new Error("the input is over"));
    connection.destroy();
  }
}

/** The number of digits of the body's length; an answer that is cut cuts the client's, too. */
async function lengthOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let length = 0;
  try {
    for await (const chunk of body) length += chunk.length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return "cut";
  }
  return String(String(length).length);
}

export const proxied: TargetKind = {
  name: "proxied-answers",
  seeds: [
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-type: text/html\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x\r\n\r\n5;a=b\r\nhello\r\n0\r\nx: y\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n\x80\x03",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 Found\r\nlocation: https://a\r\nconnection: close, x-a\r\nx-a: b\r\n\r\n",
    "HTTP/1.0 204 \r\naccess-control-allow-origin: *\r\nset-cookie: a\r\nset-cookie: b\r\n\r\n",
  ].map(bytesOf),
  words: [
    "\r\n",
    "content-length: ",
    "transfer-encoding: chunked",
    "HTTP/1.1 101 ",
    "upgrade: a",
    "0\r\n\r\n",
    "\0",
    ":",
  ],
  open: async () => ({
    async run(input): Promise<Outcome> {
      const plain = await withinTurns(passedOn(input, false), "a forwarded request");
      const switching = await withinTurns(passedOn(input, true), "a protocol switch");
      return { kind: plain, detail: switching };
    },
    [Symbol.asyncDispose]: async () => {},
  }),
};
