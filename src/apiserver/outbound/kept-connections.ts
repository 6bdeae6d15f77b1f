/** Connections to other servers that stay open between requests, until they are disposed. */
import { Agent as PlainAgent } from "node:http";
import { Agent } from "node:https";

/** An idle connection is closed after this long. */
const idleMs = 30_000;
/** As upstream, of one server. */
const mostIdle = 25;

const kept = { keepAlive: true, timeout: idleMs, maxFreeSockets: mostIdle } as const;

/** Requests share a connection only if they agree on the address, the server's name, the authorities and the client's certificate. */
export class KeptConnections implements Disposable {
  readonly #plain = new PlainAgent(kept);
  // without resumed sessions each connection checks the certificate anew, as upstream
  readonly #secure = new Agent({ ...kept, maxCachedSessions: 0 });

  agent(secure: boolean): PlainAgent {
    return secure ? this.#secure : this.#plain;
  }

  [Symbol.dispose](): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }
}
