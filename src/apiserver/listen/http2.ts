/**
 * The request and the response of an HTTP/2 stream, which Node makes by these classes in place of its own. Node's play
 * the objects of HTTP/1.1 and cost more than the rest of a small request; the exchange speaks to the stream itself.
 */
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";

export class Http2Request {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly method: string | undefined;
  readonly url: string | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _options: unknown, rawHeaders: string[]) {
    this.stream = stream;
    this.headers = headers;
    this.rawHeaders = rawHeaders;
    this.method = headers[":method"];
    this.url = headers[":path"];
  }

  get socket(): Socket {
    return (this.stream.session as NonNullable<ServerHttp2Stream["session"]>).socket as Socket;
  }
}

/** Node itself sets the status and calls `end` where it refuses: CONNECT, and expectations other than 100-continue. */
export class Http2Response {
  readonly stream: ServerHttp2Stream;
  statusCode = 200;

  constructor(stream: ServerHttp2Stream) {
    this.stream = stream;
    stream.on("error", () => {});
  }

  end(): void {
    this.stream.respond({ ":status": this.statusCode }, { endStream: true });
  }
}
