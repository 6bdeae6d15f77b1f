/**
 * Serves one very long list of pods, whole or in pages, in a process of its own. Takes the number of pods; prints the
 * path of a kubeconfig when it serves, and ends with its standard input.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "../../src/base/x509/certificate.js";

const count = Number(process.argv[2]);
const authority = createAuthority({ commonName: "bench-ca", now: Date.now() });
const { key, certificate } = authority.issue({ commonName: "server", use: "server", hosts: ["127.0.0.1"] });

const pod = (index: number): string =>
  JSON.stringify({
    metadata: {
      name: `web-${index}`,
      namespace: "bench",
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      resourceVersion: `${1000 + index}`,
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { app: "web", tier: "front", shard: `${index % 50}` },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: `web-${index % 50}`, uid: `u-${index % 50}` },
      ],
    },
    spec: {
      nodeName: `node-${index % 1000}`,
      containers: [
        {
          name: "main",
          image: "example.test/web:1.2.3",
          env: [{ name: "INDEX", value: `${index}` }],
          resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
        },
      ],
    },
    status: { phase: "Running", podIP: `10.0.${(index >> 8) & 255}.${index & 255}` },
  });

/** All items, with commas, and where each begins. */
const parts: Buffer[] = [];
const begins: number[] = [0];
for (let index = 0; index < count; index++) {
  const bytes = Buffer.from(`,${pod(index)}`);
  parts.push(bytes);
  begins.push((begins[index] as number) + bytes.length);
}
const items = Buffer.concat(parts);
const map = JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "bench", namespace: "default" } });

const server = createSecureServer({ key, cert: certificate, allowHTTP1: true }, (request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const url = new URL(request.url, "https://server");
  if (!url.pathname.endsWith("/pods")) return void response.end(map);
  const from = Number(url.searchParams.get("continue") ?? 0);
  const to = Math.min(count, from + Number(url.searchParams.get("limit") || count));
  const metadata = { resourceVersion: "1", ...(to < count ? { continue: `${to}` } : {}) };
  response.write(`{"kind":"PodList","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[`);
  // without the first comma
  send(items.subarray((begins[from] as number) + 1, begins[to]), response);
});

/** Writes as much at a time as the reader takes. */
function send(
  bytes: Buffer,
  response: {
    write(chunk: Buffer): boolean;
    once(event: "drain", go: () => void): unknown;
    end(last: string): unknown;
  },
): void {
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + 64 * 1024);
    const goOn = response.write(bytes.subarray(at, end));
    at = end;
    if (!goOn) return void response.once("drain", () => send(bytes.subarray(at), response));
  }
  response.end("]}");
}

server.listen(0, "127.0.0.1", () => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-long-list-"));
  const kubeconfig = join(folder, "kubeconfig");
  const ca = Buffer.from(authority.certificate).toString("base64");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "it",
      contexts: [{ name: "it", context: { cluster: "it", user: "it" } }],
      clusters: [{ name: "it", cluster: { server: url, "certificate-authority-data": ca } }],
      users: [{ name: "it", user: { token: "bench" } }],
    }),
  );
  process.stdin.on("end", () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
  process.stdin.resume();
  console.log(kubeconfig);
});
