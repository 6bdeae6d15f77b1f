/**
 * The data folder as a target: an input is one of its files with any content; the folder is read, or refused with an
 * error that names a file. Also the records in its frames.
 */
import type { KubeObject } from "../../../src/api/index.js";
import { headRoom } from "../../../src/apiserver/storage/disk/frame.js";
import { openStoreIn } from "../../../src/apiserver/storage/disk/open.js";
import { decodeBatch, decodeObjects, encodeBatch, RecordError } from "../../../src/apiserver/storage/disk/record.js";
import type { Store } from "../../../src/apiserver/storage/contract.js";
import { FakeClock, seededRandom, silentLogger } from "../../../src/base/index.js";
import { ForgetfulFolder } from "../../storage/forgetful-folder.js";
import { bytesOf, resultOr, shapeOf, type TargetKind, withinTurns } from "../target.js";

type Files = ReadonlyMap<string, Buffer>;

const openIn = (folder: ForgetfulFolder): Promise<Store> =>
  openStoreIn(folder, { clock: new FakeClock(), log: silentLogger, segmentBytes: 1_000 });

/** A folder with a snapshot and segments. */
async function written(): Promise<Files> {
  const folder = new ForgetfulFolder(seededRandom("fuzz"));
  {
    await using store = await openIn(folder);
    for (let i = 0; i < 60; i++) {
      const key = `k${i % 7}`;
      const object = { apiVersion: "v1", kind: "Item", metadata: { name: key }, i } as unknown as KubeObject;
      const expected = store.get("items", key)?.revision ?? 0;
      await store.settled(store.commit([{ type: "put", collection: "items", key, expected, object }]).revision);
    }
  }
  return folder.image();
}

/** `log 0 17 …bytes`: in file 0 of the folder's logs, the bytes from 17 on are replaced by these. */
const damage = /^(\w+) (\d+) (\d+) /;

function damaged(files: Files, input: Uint8Array): Files | undefined {
  const bytes = Buffer.from(input);
  const [head, kind = "", index = "", at = ""] = damage.exec(bytes.toString("latin1")) ?? [];
  if (head === undefined) return undefined;
  const names = [...files.keys()].filter((name) => name.startsWith(kind)).toSorted();
  const name = names[Number(index) % names.length] ?? "log-1";
  const old = files.get(name) ?? Buffer.alloc(0);
  return new Map([...files, [name, Buffer.concat([old.subarray(0, Number(at)), bytes.subarray(head.length)])]]);
}

const folder: TargetKind = {
  name: "data-folder",
  seeds: ["manifest", "snapshot", "log"].flatMap((kind) =>
    [0, 4, 12, 40, 200].map((at) => bytesOf(`${kind} 0 ${at} `)),
  ),
  words: [
    "manifest ",
    "snapshot ",
    "log ",
    "0 ",
    "1 ",
    "2 ",
    "{",
    "}",
    "[",
    "]",
    '"segments":',
    '"revision":',
    '"snapshot":',
    "null",
    "\u0000\u0000\u0000\u0000",
  ],
  async open() {
    const files = await written();
    return {
      async run(input) {
        const changed = damaged(files, input);
        if (changed === undefined) return { kind: "no change", detail: "" };
        try {
          await using store = await withinTurns(openIn(ForgetfulFolder.of(changed, seededRandom("damage"))), "opening");
          return { kind: "opened", detail: String(store.revision) };
        } catch (error) {
          if (
            !(error instanceof Error) ||
            error.constructor !== Error ||
            !/^(?:log-|snapshot-|manifest)/.test(error.message)
          )
            throw error;
          return { kind: "refused", detail: shapeOf(error.message) };
        }
      },
      [Symbol.asyncDispose]: async () => {},
    };
  },
};

const stored = (key: string) => ({
  collection: "items",
  key,
  revision: 7,
  expiresAt: 5,
  bytes: bytesOf('{"apiVersion":"v1","kind":"Item","metadata":{"name":"a"}}'),
});
const batch = encodeBatch([
  { revision: 7, events: [{ collection: "items", key: "a", current: stored("a") }] },
] as unknown as Parameters<typeof encodeBatch>[0]).subarray(headRoom);

/** Records are inside of checksums, which chance does not meet. */
const records: TargetKind = {
  name: "records",
  seeds: [batch, batch.subarray(13)],
  words: ["items", "\u0001", "\u0002", "\u0000\u0000\u0000\u0000", "{}", "null"],
  open: async () => ({
    run: async (input) => {
      const bytes = Buffer.from(input);
      const asBatch = resultOr(
        [RecordError],
        () => [...decodeBatch(bytes)],
        (read) => ({ kind: "batch", detail: read.flatMap(({ changes }) => changes.map(({ type }) => type)).join() }),
      );
      const asObjects = resultOr(
        [RecordError],
        () => [...decodeObjects(bytes)],
        (read) => ({ kind: "objects", detail: String(read.length) }),
      );
      return { kind: `${asBatch.kind}, ${asObjects.kind}`, detail: `${asBatch.detail}, ${asObjects.detail}` };
    },
    [Symbol.asyncDispose]: async () => {},
  }),
};

export const diskTargets: readonly TargetKind[] = [folder, records];
