/** The clients whose requests bench/credentials.ts measures: client-go in its two forms, and Node's own. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { http2On } from "../apiserver/http2.js";
import { type Access, configMap, type Http, httpOn, path, rate } from "../apiserver/load.js";
import { goPeers, type Peer, start } from "../client/peers.js";

/** Creates and reads ConfigMaps of 1 KB named `<names>-0`, `<names>-1` and so on; gives the requests per second. */
export interface Caller extends AsyncDisposable {
  create(names: string, count: number, inFlight: number): Promise<number>;
  /** Reads the first thousand again and again. */
  get(names: string, count: number, inFlight: number): Promise<number>;
}

export type OpenCaller = (access: Access) => Promise<Caller>;

/** The clients by name; without those of Go if there is no Go toolchain. */
export function callers(log: (message: string) => void): ReadonlyMap<string, OpenCaller> {
  return new Map<string, OpenCaller>([
    ["HTTP/2", nodeCaller(http2On)],
    ["HTTP/1.1", nodeCaller(httpOn)],
    ...goPeers(log).map((peer) => [peer.name, goCaller(peer)] as const),
  ]);
}

function nodeCaller(open: (access: Access) => Pick<Http, "send" | "close">): OpenCaller {
  return async (access) => {
    const http = open(access);
    return {
      create: (names, count, inFlight) =>
        rate(count, inFlight, (i) => http.send("POST", path, configMap(`${names}-${i}`))),
      get: (names, count, inFlight) => rate(count, inFlight, (i) => http.send("GET", `${path}/${names}-${i % 1000}`)),
      [Symbol.asyncDispose]: async () => http.close(),
    };
  };
}

function goCaller(peer: Peer): OpenCaller {
  return async (access) => {
    const folder = await mkdtemp(join(tmpdir(), "coxswain-bench-"));
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(access)));
    const program = start(peer, kubeconfig);
    const ask = async (command: string, count: number): Promise<number> =>
      (count * 1000) / (await program.ask(command)).ms;
    return {
      create: (names, count, inFlight) => ask(`create ${inFlight} ${count} ${names}`, count),
      get: (names, count, inFlight) => ask(`get ${inFlight} ${count} ${names}`, count),
      async [Symbol.asyncDispose]() {
        await program[Symbol.asyncDispose]();
        await rm(folder, { recursive: true, force: true });
      },
    };
  };
}

function kubeconfigOf({ url, ca, token, client }: Access): object {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const name = "bench";
  const certificate = client && {
    "client-certificate-data": base64(client.cert),
    "client-key-data": base64(client.key),
  };
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: url, "certificate-authority-data": base64(ca) } }],
    users: [{ name, user: { ...(token === undefined ? {} : { token }), ...certificate } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  };
}
