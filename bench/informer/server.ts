/**
 * The canned server: everything is rendered before the first request, so that it costs the measured client next to
 * nothing. Arguments: objects, events. Prints its port. Serves lists and watches of pods; POST /go starts the events.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pod } from "./pods.js";

const [objects = 10_000, events = 50_000] = process.argv.slice(2).map(Number);
const firstRevision = 1_000_000;
const listRevision = firstRevision + objects;

/** Pieces of about 256 KiB, of whole frames. */
function rendered(count: number, frame: (i: number) => string): Buffer[] {
  const pieces: Buffer[] = [];
  let text = "";
  for (let i = 0; i < count; i++) {
    text += frame(i);
    if (text.length > 256 * 1024 || i === count - 1) {
      pieces.push(Buffer.from(text));
      text = "";
    }
  }
  return pieces;
}

const typeless = (i: number): string =>
  JSON.stringify(pod(i, firstRevision + i + 1)).replace('"kind":"Pod","apiVersion":"v1",', "");
const added = rendered(objects, (i) => `{"type":"ADDED","object":${JSON.stringify(pod(i, firstRevision + i + 1))}}\n`);
const list = [
  Buffer.from(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${listRevision}"},"items":[`),
  ...rendered(objects, (i) => (i === 0 ? "" : ",") + typeless(i)),
  Buffer.from("]}\n"),
];
const modified = rendered(events, (i) => {
  const state = pod(i % objects, listRevision + i + 1, 1 + Math.floor(i / objects));
  return `{"type":"MODIFIED","object":${JSON.stringify(state)}}\n`;
});
const endOfInitial = Buffer.from(
  `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"${listRevision}","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"containers":null},"status":{}}}\n`,
);

let release: () => void = () => {};
let released: Promise<void> = new Promise((resolve) => {
  release = resolve;
});

async function send(response: ServerResponse, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (response.write(piece)) continue;
    await new Promise<void>((resolve) => {
      response.once("drain", resolve).once("close", resolve);
    });
    response.removeAllListeners("drain");
  }
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (request.method === "POST" && url.pathname === "/go") {
    release();
    released = new Promise((resolve) => {
      release = resolve;
    });
    response.end();
    return;
  }
  if (!url.pathname.endsWith("/pods")) {
    response.writeHead(404).end();
    return;
  }
  response.setMaxListeners(0);
  response.writeHead(200, { "content-type": "application/json" });
  if (!["1", "true"].includes(url.searchParams.get("watch") ?? "")) {
    await send(response, list);
    response.end();
    return;
  }
  response.flushHeaders();
  const going = released;
  if (url.searchParams.get("sendInitialEvents") === "true") await send(response, [...added, endOfInitial]);
  await going;
  await send(response, modified);
}

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.info(typeof address === "object" ? address?.port : address);
});
process.on("disconnect", () => process.exit(0));
