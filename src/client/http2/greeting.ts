/** The client's first frames on an HTTP/2 connection, and the limits that they announce (RFC 9113, section 3.4). */
import { maxHeaderBytes } from "../transport/headers.js";
import { defaultWindowBytes, frameTypes, numberFrame, preface, settingIds, settingsFrame } from "./frames.js";

/** Large enough that a long list need not wait for window updates, even on a connection across a continent. */
export const streamWindowBytes: number = 4 * 1024 * 1024;
export const connectionWindowBytes: number = 32 * 1024 * 1024;
/** Larger frames than the default, so that fewer have to be handled. */
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
