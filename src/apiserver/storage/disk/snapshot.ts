/** All objects at one revision in one file, written beside the running server and put in place by a rename. */
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { readFile } from "node:fs/promises";
import type { Stored } from "../storage.js";
import { fileName, refuseOtherVersion, snapshotMagic, syncFolder } from "./files.js";
import { encodeFrame, readFrame } from "./frame.js";
import { decodeObjects, encodeObjects } from "./record.js";

const frameBytes = 256 * 1024;

export async function writeSnapshot(directory: string, revision: number, objects: readonly Stored[]): Promise<void> {
  const path = join(directory, fileName("snapshot", revision));
  const draft = `${path}.tmp`;
  const file = await open(draft, "w", 0o600);
  try {
    await file.write(snapshotMagic);
    for (const group of groups(objects)) await file.write(encodeFrame(encodeObjects(group)));
    await file.write(encodeFrame(endOf(objects.length)));
    await file.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncFolder(directory);
}

function* groups(objects: readonly Stored[]): Generator<readonly Stored[]> {
  let group: Stored[] = [];
  let size = 0;
  for (const stored of objects) {
    group.push(stored);
    size += stored.bytes.length;
    if (size < frameBytes) continue;
    yield group;
    group = [];
    size = 0;
  }
  if (group.length > 0) yield group;
}

/** The last frame says how many objects there must have been; five bytes can be no object. */
function endOf(count: number): Buffer {
  const end = Buffer.alloc(5, 0xff);
  end.writeUInt32LE(count);
  return end;
}

export async function readSnapshot(directory: string, name: string): Promise<readonly Stored[]> {
  const file = await readFile(join(directory, name));
  refuseOtherVersion(name, file, snapshotMagic);
  if (!file.subarray(0, snapshotMagic.length).equals(snapshotMagic)) throw damaged(name, 0);
  const objects: Stored[] = [];
  for (let at = snapshotMagic.length; ; ) {
    const frame = readFrame(file, at);
    if (frame === undefined) throw damaged(name, at);
    if (frame.payload.length === 5) {
      if (frame.payload.readUInt32LE() !== objects.length || frame.end !== file.length) throw damaged(name, at);
      return objects;
    }
    objects.push(...decodeObjects(frame.payload));
    at = frame.end;
  }
}

function damaged(name: string, at: number): Error {
  return new Error(
    `${name} is damaged at byte ${at}: restore the data folder from a copy, or remove this file to go back to an older snapshot`,
  );
}
