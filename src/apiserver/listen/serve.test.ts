import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { FakeClock, Lifetime, silentLogger } from "../../base/index.js";
import { limitsOf } from "../http/handler.js";
import { createAuthority } from "../../base/x509/certificate.js";
import { serveOn } from "./serve.js";

const dayMs = 24 * 3_600_000;

test("a server that runs for years always shows a certificate that is valid, and drops no connection for it", async () => {
  const clock = new FakeClock({ startMs: Date.UTC(2026, 0, 1) });
  await using lifetime = new Lifetime();
  const listener = lifetime.use(
    await serveOn(
      {},
      {
        handle: async () => ({ status: 200, headers: {}, body: Buffer.from("ok") }),
        authority: createAuthority({ commonName: "test-ca", now: clock.now() }),
        log: silentLogger,
        clock,
        limits: limitsOf({}),
        token: "token",
        username: "admin",
        groups: [],
      },
    ),
  );
  const open = async (): Promise<TLSSocket> => {
    const socket = connect({ port: listener.port, ca: listener.authority as string, rejectUnauthorized: false });
    lifetime.defer(() => void socket.destroy());
    await once(socket, "secureConnect");
    return socket;
  };
  const status = async (socket: TLSSocket): Promise<string> => {
    socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    return answer.toString("latin1", 0, 12);
  };
  const first = await open();
  const serials = new Set<string>();
  for (let day = 0; day < 3 * 365; day += 73) {
    const socket = await open();
    const { valid_from: from, valid_to: to, serialNumber } = socket.getPeerCertificate();
    expect([Date.parse(from) <= clock.now(), clock.now() + 30 * dayMs < Date.parse(to)]).toEqual([true, true]);
    serials.add(serialNumber);
    socket.destroy();
    await clock.advance(73 * dayMs);
  }
  expect(serials.size).toBe(5);
  expect(await status(first)).toBe("HTTP/1.1 200");
});
