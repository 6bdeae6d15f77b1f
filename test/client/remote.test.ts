import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { Lifetime } from "../../src/base/index.js";
import { type AccessConfig, type Client, connectTo, isConnectionFailure, Redacted } from "../../src/client/index.js";
import { authority, failure, serveH1 } from "./servers.js";

let lifetime = new Lifetime();
afterEach(async () => {
  await lifetime[Symbol.asyncDispose]();
  lifetime = new Lifetime();
});

interface Kubelet {
  readonly client: Client;
  readonly asked: string[];
}

/** A server that speaks the channel protocols over TLS, as an API server with a kubelet behind it does. */
async function kubelet(
  talk: (socket: WebSocket, path: string) => void,
  protocols: readonly string[] = ["v5.channel.k8s.io", "v4.channel.k8s.io"],
  user: Pick<AccessConfig, "token" | "tokenFile"> = { token: new Redacted("t") },
): Promise<Kubelet> {
  const asked: string[] = [];
  const serving = lifetime.use(
    await serveH1(
      (request, response) => {
        asked.push(`${request.method} ${request.url}`);
        if (request.url?.includes("/log")) return void response.end("first\nzweite Zeile ü\nlast");
        response.writeHead(404, { "content-type": "application/json" });
        response.end(JSON.stringify(failure(404, "NotFound", 'pods "p" not found')));
      },
      { tls: true },
    ),
  );
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
  });
  lifetime.defer(() => sockets.close());
  serving.server.on("upgrade", (request, socket, head) => {
    asked.push(`${request.headers.authorization} ${request.url}`);
    const refuse = (code: number, reason: string, message: string): void => {
      const body = JSON.stringify(failure(code, reason, message));
      socket.end(
        `HTTP/1.1 ${code} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      );
    };
    if (request.headers.authorization === "Bearer old") return refuse(401, "Unauthorized", "Unauthorized");
    if (request.url?.includes("missing")) return refuse(404, "NotFound", 'pods "missing" not found');
    sockets.handleUpgrade(request, socket, head, (ws) => talk(ws, request.url ?? ""));
  });
  const client = lifetime.use(
    connectTo({
      source: "test",
      server: new URL(serving.url),
      namespace: "default",
      ca: { pem: new Redacted(authority.certificate) },
      ...user,
    }),
  );
  return { client, asked };
}

const say = (socket: WebSocket, channel: number, text: string): void =>
  socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));

const outcome = (code: number): string =>
  JSON.stringify(
    code === 0
      ? { kind: "Status", metadata: {}, status: "Success" }
      : {
          kind: "Status",
          metadata: {},
          status: "Failure",
          reason: "NonZeroExitCode",
          message: `command terminated with exit code ${code}`,
          details: { causes: [{ reason: "ExitCode", message: `${code}` }] },
        },
  );

describe("a command in a pod", () => {
  test("gives its outputs and exit code, and is asked for by its user with all its arguments", async () => {
    const { client, asked } = await kubelet((socket) => {
      say(socket, 1, "out");
      say(socket, 2, "err");
      say(socket, 1, "put");
      say(socket, 3, outcome(3));
      socket.close(1000);
    });
    const result = await client.pods("ns").run("p", { command: ["sh", "-c", "echo a&b"], container: "main" });
    expect(result).toEqual({ exitCode: 3, stdout: "output", stderr: "err" });
    expect(asked).toEqual([
      "Bearer t /api/v1/namespaces/ns/pods/p/exec?stdin=false&stdout=true&stderr=true&tty=false&container=main&command=sh&command=-c&command=echo%20a%26b",
    ]);
  });

  test("gets input, its end, and sizes of its terminal", async () => {
    const { client } = await kubelet((socket) => {
      const heard: string[] = [];
      socket.on("message", (message: Buffer) => {
        heard.push(`${message[0]}:${message.subarray(1).toString("latin1")}`);
        if (message[0] !== 255) return;
        say(socket, 1, heard.join(" "));
        say(socket, 3, outcome(0));
        socket.close(1000);
      });
    });
    await using process = await client.pods().exec("p", { command: ["cat"], stdin: true, tty: true });
    await process.resize({ columns: 80, rows: 24 });
    await process.write("hello");
    await process.endInput();
    const heard: Uint8Array[] = [];
    for await (const chunk of process.stdout) heard.push(chunk);
    expect(Buffer.concat(heard).toString("latin1")).toBe('4:{"Width":80,"Height":24} 0:hello 255:\0');
    expect(await process.exit).toBe(0);
  });

  test("whose server cannot end input says so", async () => {
    const { client } = await kubelet(() => {}, ["v4.channel.k8s.io"]);
    await using process = await client.pods().exec("p", { command: ["cat"], stdin: true });
    await expect(process.endInput()).rejects.toThrow("v4.channel.k8s.io, which cannot end input");
  });

  test("in a pod that does not exist is the server's refusal", async () => {
    const { client } = await kubelet(() => {});
    await expect(client.pods().exec("missing", { command: ["true"] })).rejects.toThrow(
      'connect pods/exec default/missing: pods "missing" not found (404 NotFound)',
    );
  });

  test("whose connection breaks has no exit code; aborting ends it with the reason", async () => {
    const { client } = await kubelet((socket, path) => {
      if (path.includes("/exec")) socket.terminate();
    });
    await using broken = await client.pods().exec("p", { command: ["true"] });
    expect(isConnectionFailure(await broken.exit.catch((error: unknown) => error), "closed")).toBe(true);
    const stop = new AbortController();
    await using attached = await client.pods().attach("p", { signal: stop.signal });
    const why = new Error("enough");
    stop.abort(why);
    await expect(attached.exit).rejects.toBe(why);
  });
});

test("a WebSocket that is refused with 401 is tried once more with newer credentials", async () => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-remote-"));
  lifetime.defer(() => rmSync(folder, { recursive: true, force: true }));
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, "old");
  const { client, asked } = await kubelet(
    (socket) => {
      say(socket, 3, outcome(0));
      socket.close(1000);
    },
    undefined,
    { tokenFile },
  );
  await expect(client.pods().exec("p", { command: ["true"] })).rejects.toMatchObject({ code: 401 });
  writeFileSync(tokenFile, "new");
  await using process = await client.pods().exec("p", { command: ["true"] });
  expect(await process.exit).toBe(0);
  const path = "/api/v1/namespaces/default/pods/p/exec?stdin=false&stdout=true&stderr=true&tty=false&command=true";
  expect(asked).toEqual([`Bearer old ${path}`, `Bearer old ${path}`, `Bearer new ${path}`]);
});

describe("a port of a pod", () => {
  /** Echoes, after naming the port on both channels. */
  const echo = (socket: WebSocket): void => {
    socket.send(Buffer.from([0, 0x90, 0x1f]));
    socket.send(Buffer.from([1, 0x90, 0x1f]));
    socket.on("message", (message: Buffer) => say(socket, 0, `echo ${message.subarray(1).toString()}`));
  };

  test("is reached from a local one, until that is closed", async () => {
    const { client, asked } = await kubelet(echo);
    const forward = await client.pods().portForward("p", 8080);
    const socket = connectTcp(forward.port, forward.address);
    socket.write("hello");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toBe("echo hello");
    expect(asked).toEqual(["Bearer t /api/v1/namespaces/default/pods/p/portforward?ports=8080"]);
    const closed = once(socket, "close");
    await forward[Symbol.asyncDispose]();
    await closed;
  });

  test("that nobody listens on is told to whoever asks", async () => {
    const { client } = await kubelet((socket) => {
      socket.send(Buffer.from([0, 0x90, 0x1f]));
      socket.send(Buffer.from([1, 0x90, 0x1f]));
      say(socket, 1, "connection refused inside the pod");
      socket.close(1000);
    });
    const errors: string[] = [];
    await using forward = await client
      .pods()
      .portForward("p", 8080, { onError: ({ message }) => errors.push(message) });
    const socket = connectTcp(forward.port, forward.address);
    await once(socket, "close");
    expect(errors).toEqual(["connect pods/portforward default/p: connection refused inside the pod"]);
  });
});

describe("logs", () => {
  test("come as bytes or lines", async () => {
    const { client, asked } = await kubelet(() => {});
    const lines: string[] = [];
    for await (const line of client.pods().logs("p", { container: "main", tailLines: 3, follow: true }).lines())
      lines.push(line);
    expect(lines).toEqual(["first", "zweite Zeile ü", "last"]);
    expect(asked).toEqual(["GET /api/v1/namespaces/default/pods/p/log?container=main&tailLines=3&follow=true"]);
  });
});

test("an eviction posts what it should", async () => {
  const { client, asked } = await kubelet(() => {});
  await expect(client.pods().evict("p", { gracePeriodSeconds: 0 })).rejects.toThrow(
    'create pods/eviction default/p: pods "p" not found',
  );
  expect(asked).toEqual(["POST /api/v1/namespaces/default/pods/p/eviction"]);
});
