import { expect, test } from "vitest";
import { clientHeaders, remoteUser } from "./headers.js";

test("a user is told in headers, whatever is in its name", () => {
  const extra = { "example.com/scopes %": ["a", "b"] };
  expect(remoteUser({ username: "Jürgen", uid: "1", groups: ["g", "h"], extra })).toEqual({
    // bytes of UTF-8
    "X-Remote-User": "JÃ¼rgen",
    "X-Remote-Uid": "1",
    "X-Remote-Group": ["g", "h"],
    "X-Remote-Extra-example.com%2Fscopes%20%25": ["a", "b"],
  });
});

test.each([
  ["credentials", { authorization: "Bearer x" }],
  ["a user of the client's choice", { "x-remote-user": "root", x_remote_group: "g", "x-remote-extra-a": "b" }],
  ["impersonation, which is done already", { "impersonate-user": "root" }],
  ["words about the connection", { connection: "close, x-one", "x-one": "1", te: "trailers", upgrade: "h2c" }],
  ["the lengths of a body that is sent anew", { "content-length": "1", "transfer-encoding": "chunked" }],
  ["names of HTTP/2", { ":authority": "elsewhere" }],
])("%s of a client is not passed on", (_, headers) => {
  expect(clientHeaders(headers, { switches: false, from: undefined })).toEqual({});
});

test("a browser's token among the subprotocols is not passed on", () => {
  const headers = {
    upgrade: "websocket",
    "sec-websocket-protocol": "base64url.bearer.authorization.k8s.io.dG9rZW4, v4.channel.k8s.io",
  };
  expect(clientHeaders(headers, { switches: true, from: "10.0.0.1" })).toEqual({
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-protocol": "v4.channel.k8s.io",
    "x-forwarded-for": "10.0.0.1",
  });
});
