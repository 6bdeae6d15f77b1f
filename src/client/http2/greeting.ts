/** What a client says first on an HTTP/2 connection, and the limits that it sets thereby. For session.ts. */
import { maxHeaderBytes } from "../transport/headers.js";
import { defaultWindowBytes, frameTypes, numberFrame, preface, settingIds, settingsFrame } from "./frames.js";

/** Large enough that a long list is not held up by waiting for window updates, on a connection across a continent too. */
export const streamWindowBytes: number = 4 * 1024 * 1024;
export const connectionWindowBytes: number = 32 * 1024 * 1024;
/** Larger frames than the usual spare the handling of many. */
export const frameBytes: number = 256 * 1024;

export function greeting(): Buffer {
  return Buffer.concat([
    Buffer.from(preface),
    settingsFrame([
      [settingIds.enablePush, 0],
      [settingIds.initialWindowSize, streamWindowBytes],
      [settingIds.maxFrameSize, frameBytes],
      [settingIds.maxHeaderListSize, maxHeaderBytes],
    ]),
    numberFrame(frameTypes.windowUpdate, 0, connectionWindowBytes - defaultWindowBytes),
  ]);
}
