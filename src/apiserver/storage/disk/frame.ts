/** Checksummed frames in a file: what was written whole is read back, what was torn is found. Used by the log and by snapshots. */
import { crc32 } from "node:zlib";

const headBytes = 8;

/** length (4 bytes), CRC-32 (4 bytes), payload; little-endian. The checksum covers the length too, so that zeros are no frame. */
export function encodeFrame(payload: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + payload.length);
  frame.writeUInt32LE(payload.length, 0);
  frame.writeUInt32LE(checksum(payload), 4);
  payload.copy(frame, headBytes);
  return frame;
}

function checksum(payload: Uint8Array): number {
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(payload.length);
  return crc32(payload, crc32(length));
}

/** The payload at the offset and where the next frame would begin; undefined if there is no whole, sound frame. */
export function readFrame(
  file: Buffer,
  offset: number,
): { readonly payload: Buffer; readonly end: number } | undefined {
  if (offset + headBytes > file.length) return undefined;
  const length = file.readUInt32LE(offset);
  const end = offset + headBytes + length;
  if (end > file.length) return undefined;
  const payload = file.subarray(offset + headBytes, end);
  return checksum(payload) === file.readUInt32LE(offset + 4) ? { payload, end } : undefined;
}

/** True if a sound frame begins anywhere after the offset: then what lies between is damage, not a torn end. */
export function hasFrameAfter(file: Buffer, offset: number): boolean {
  for (let at = offset + 1; at + headBytes <= file.length; at++) {
    const length = file.readUInt32LE(at);
    // an empty payload is never written; a length that cannot fit is noise
    if (length > 0 && at + headBytes + length <= file.length && readFrame(file, at) !== undefined) return true;
  }
  return false;
}
