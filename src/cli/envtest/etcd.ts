/** The stand-in for etcd: answers the health checks that suites make on its client URLs, and stores nothing. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createPlain, type RequestListener, type Server } from "node:http";
import { createServer as createSecure } from "node:https";
import { abortable, isAbortOf, Lifetime } from "../../base/index.js";
import { type Arguments, last, listed, readArguments } from "./arguments.js";
import { etcdFlags } from "./flags.js";
import type { StandIn } from "./stand-in.js";

export const etcdVersion = "3.6.16";

const status = {
  header: { cluster_id: "1", member_id: "1", revision: "1", raft_term: "2" },
  version: etcdVersion,
  dbSize: "20480",
  leader: "1",
  raftIndex: "4",
  raftTerm: "2",
  raftAppliedIndex: "4",
  dbSizeInUse: "20480",
};

const answers: ReadonlyMap<string, string> = new Map([
  ["/health", JSON.stringify({ health: "true", reason: "" })],
  ["/livez", "ok\n"],
  ["/readyz", "ok\n"],
  ["/version", JSON.stringify({ etcdserver: etcdVersion, etcdcluster: "3.6.0", storage: "3.6.0" })],
  ["/v3/maintenance/status", JSON.stringify(status)],
  ["/metrics", "# TYPE etcd_server_has_leader gauge\netcd_server_has_leader 1\n"],
]);

const answer: RequestListener = (request, response) => {
  const body = answers.get((request.url ?? "").split("?")[0] ?? "");
  request.resume();
  response.statusCode = body === undefined ? 404 : 200;
  response.setHeader("content-type", body?.startsWith("{") ? "application/json" : "text/plain; charset=utf-8");
  response.end(body ?? "404 page not found\n");
};

export const etcd: StandIn = {
  async run(args, { signal, warn }) {
    const given = readArguments(args, etcdFlags);
    for (const text of given.warnings) warn(text);
    await using lifetime = new Lifetime();
    const clients = listed(given, "listen-client-urls");
    const urls = clients.length === 0 ? ["http://localhost:2379"] : clients;
    for (const url of [...urls, ...listed(given, "listen-metrics-urls")]) {
      const server = await listening(new URL(url), given);
      lifetime.defer(() => closed(server));
    }
    await abortable(new Promise<never>(() => {}), signal).catch((error: unknown) => {
      if (!isAbortOf(signal, error)) throw error;
    });
  },
};

async function listening({ protocol, hostname, port }: URL, given: Arguments): Promise<Server> {
  const server = protocol === "https:" ? createSecure(await pair(given), answer) : createPlain(answer);
  const host = hostname.replace(/^\[|\]$/g, "");
  server.listen({ host, port: Number(port || 2379) });
  await once(server, "listening");
  return server;
}

async function pair(given: Arguments): Promise<{ readonly cert: string; readonly key: string }> {
  const [certFile, keyFile] = [last(given, "cert-file"), last(given, "key-file")];
  if (certFile === undefined || keyFile === undefined)
    throw new Error("a client URL with https needs --cert-file and --key-file");
  return { cert: await readFile(certFile, "utf8"), key: await readFile(keyFile, "utf8") };
}

async function closed(server: Server): Promise<void> {
  const done = once(server, "close");
  server.close();
  server.closeAllConnections();
  await done;
}
