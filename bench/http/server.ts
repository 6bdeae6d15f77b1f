/**
 * A server for bench/http.ts, in a process of its own: one small object, writes, a list of Deployments, and a watch of as many events.
 * Takes the number of Deployments; prints a line of JSON with its three URLs and its authority, and ends with its standard input.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createSecureServer as createHttp2Server } from "node:http2";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createAuthority } from "../../src/base/x509/certificate.js";
import { deployment } from "../samples.js";

const count = Number(process.argv[2]);
const authority = createAuthority({ commonName: "bench-ca", now: Date.now() });
const { key, certificate } = authority.issue({ commonName: "server", use: "server", hosts: ["127.0.0.1"] });

const items = Array.from({ length: count }, (_, index) => {
  const { metadata, ...rest } = deployment();
  return { ...rest, metadata: { ...metadata, name: `web-${index}`, resourceVersion: `${index + 1}` } };
});
const list = { kind: "DeploymentList", apiVersion: "apps/v1", metadata: { resourceVersion: `${count}` }, items };
const listed = Buffer.from(JSON.stringify(list));
const events = items.map((object) => `${JSON.stringify({ type: "ADDED", object })}\n`);
const small = Buffer.from(
  JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "bench", namespace: "default" }, data: {} }),
);

function serve(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("content-type", "application/json");
  const { searchParams, pathname } = new URL(request.url ?? "", "http://server");
  if (request.method !== "GET") request.resume().once("end", () => answer(response, small));
  else if (!pathname.endsWith("/deployments")) answer(response, small);
  else if (searchParams.has("watch")) void watch(response);
  else response.end(listed);
}

function answer(response: ServerResponse, bytes: Buffer): void {
  response.setHeader("content-length", bytes.length);
  response.end(bytes);
}

/** Each event in a chunk of its own, as a kube-apiserver sends them. */
async function watch(response: ServerResponse): Promise<void> {
  for (const event of events) {
    if (!response.write(event)) await new Promise((resolve) => response.once("drain", resolve));
  }
  response.end();
}

// connections stay: whether a client notices in time that one was closed is not measured
const plain = createServer({ keepAliveTimeout: 0 }, serve);
const secure = createSecureServer({ key, cert: certificate, keepAliveTimeout: 0 }, serve);
const modern = createHttp2Server({ key, cert: certificate }, (request, response) => {
  serve(request as unknown as IncomingMessage, response as unknown as ServerResponse);
});

const urls: Record<string, string> = {};
for (const [name, server] of Object.entries({ http: plain, https: secure, h2: modern })) {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  urls[name] = `${name === "http" ? "http" : "https"}://127.0.0.1:${port}`;
}
process.stdin.once("end", () => process.exit(0)).resume();
console.log(JSON.stringify({ urls, ca: authority.certificate }));
