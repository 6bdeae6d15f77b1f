/** Memory that sockets read into, and that is used again once its bytes are understood. Between dial.ts and the stream readers. */
import { connect, type Socket, type TcpNetConnectOpts } from "node:net";

const bufferBytes = 64 * 1024;

/** So many may wait for the next read: as much as a response may have under way. */
const mostFree = 16;

/** What became of the bytes of one read. */
interface Reading {
  readonly buffer: Buffer;
  readBytes: number;
  releasedBytes: number;
}

const free: Buffer[] = [];
const readings = new WeakMap<ArrayBufferLike, Reading>();

/**
 * As `net.connect`. Otherwise each read has memory of its own, which lives until the garbage is collected: as much as the
 * whole of a long list, and memory that is touched for the first time is slow.
 */
export function connectReusing(options: TcpNetConnectOpts): Socket {
  const socket: Socket = connect({
    ...options,
    onread: {
      buffer: () => free.pop() ?? allocated(),
      callback: (count, bytes) => socket.push(read(bytes, count)),
    },
  });
  return socket;
}

/**
 * Nobody will look at these bytes any more. Those who never say so do no harm: a buffer is used again only when every
 * byte that was read into it has been released.
 */
export function released(chunk: Uint8Array): void {
  const reading = readings.get(chunk.buffer);
  if (reading === undefined) return;
  reading.releasedBytes += chunk.length;
  if (reading.releasedBytes === reading.readBytes && free.length < mostFree) free.push(reading.buffer);
}

function allocated(): Buffer {
  const buffer = Buffer.allocUnsafeSlow(bufferBytes);
  readings.set(buffer.buffer, { buffer, readBytes: 0, releasedBytes: 0 });
  return buffer;
}

function read(bytes: Uint8Array, count: number): Buffer {
  const reading = readings.get(bytes.buffer) as Reading;
  reading.readBytes = count;
  reading.releasedBytes = 0;
  return reading.buffer.subarray(0, count);
}
