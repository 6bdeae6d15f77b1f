import { duplexPair } from "node:stream";
import { expect, test } from "vitest";
import type { Pod } from "../../api/index.js";
import { FakeClock } from "../../base/index.js";
import { SpdySession, type SpdyStream } from "../../base/spdy/session.js";
import type { ReadonlyStore } from "../../informer/index.js";
import { forwardOverSpdy } from "./forwarding.js";
import { PodPorts } from "./pod-ports.js";

const noPods = { byIndex: () => [] } as unknown as ReadonlyStore<Pod>;
const pod = { metadata: { name: "web", uid: "1" } } as Pod;

test("streams that are cancelled before they are pairs leave nothing behind", async () => {
  const clock = new FakeClock();
  const [here, there] = duplexPair();
  const client = new SpdySession(here, { side: "client" });
  let tell: (stream: SpdyStream) => void = () => {};
  const session = new SpdySession(there, { side: "server", onStream: (stream) => tell(stream) });
  const onStream = (listener: (stream: SpdyStream) => void): void => void (tell = listener);
  const done = forwardOverSpdy({ session, onStream }, { pod, podPorts: new PodPorts(noPods), clock });
  for (let i = 0; i < 100; i++) {
    const stream = await client.open(
      new Map([
        ["streamtype", "error"],
        ["requestid", String(i)],
      ]),
    );
    stream.destroy();
  }
  await client.open(new Map([["streamtype", "data"]]));
  // the frames of a connection are taken in their order, so the cancelled streams are gone by now
  expect(clock.pendingTimers).toBe(1);
  await client.close();
  await done;
  expect(clock.pendingTimers).toBe(0);
});
