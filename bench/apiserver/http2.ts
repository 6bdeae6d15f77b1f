/** Requests over HTTP/2 by Node's own client, all on one connection, as controllers make them. */
import { connect } from "node:http2";
import type { Access, Http } from "./load.js";

export function http2On({ url, ca, token, client }: Access): Pick<Http, "send" | "close"> {
  const session = connect(url, { ca, ...client });
  const auth = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    send: (method, target, body, type = "application/json") =>
      new Promise((resolve, reject) => {
        const headers = { ":method": method, ":path": target, ...auth };
        const stream = session.request(body === undefined ? headers : { ...headers, "content-type": type });
        const chunks: Buffer[] = [];
        let status = 500;
        stream.on("response", (got) => (status = Number(got[":status"])));
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("error", reject);
        stream.on("end", () => {
          const answer = Buffer.concat(chunks);
          if (status < 300) resolve(answer);
          else reject(new Error(`${method} ${target}: ${status} ${answer.toString().slice(0, 300)}`));
        });
        stream.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    close: () => session.close(),
  };
}
