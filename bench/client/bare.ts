/** The requests of bench/client/ours.ts by node:http2 alone: no retries, limits, signals, types or errors. Takes a kubeconfig. */
import { readFileSync } from "node:fs";
import { connect } from "node:http2";
import { createInterface } from "node:readline";
import { loadAccess } from "../../src/client/index.js";
import type { PemSource } from "../../src/client/index.js";

const access = await loadAccess({ kubeconfig: process.argv[2] ?? "" });
const pem = (source: PemSource | undefined): string =>
  source === undefined ? "" : "file" in source ? readFileSync(source.file, "utf8") : source.pem.reveal();
const { clientCertificate: pair } = access;
const session = connect(access.server, {
  ca: pem(access.ca),
  ...(pair === undefined ? {} : { cert: pem(pair.cert), key: pem(pair.key) }),
});
const headers = {
  ":path": "/api/v1/namespaces/default/configmaps/bench",
  accept: "application/json",
  ...(access.token === undefined ? {} : { authorization: `Bearer ${access.token.reveal()}` }),
};

function get(): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const stream = session.request(headers);
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString("utf8"))));
    stream.on("error", reject);
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const [, inFlight, count] = line.split(" ");
  let left = Number(count);
  const cpu = process.cpuUsage();
  const start = performance.now();
  const worker = async (): Promise<void> => {
    while (left-- > 0) await get();
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, worker));
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const peakRss = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, peakRss, items: 0 }));
}
session.close();
