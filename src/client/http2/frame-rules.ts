/** Checks the rules that every frame of a server must obey, whatever the state of its stream (RFC 9113, section 6). Pure. */
import { ProtocolViolation } from "../transport/headers.js";
import { type FrameHead, frameFlags, frameTypes, maxWindowBytes, settingIds } from "./frames.js";

interface FrameRule {
  readonly name: string;
  readonly section: string;
  /** Whether the frame belongs to a stream or to the connection; WINDOW_UPDATE may belong to either. */
  readonly on: "stream" | "connection" | "either";
  readonly fits: (bytes: number, flags: number) => boolean;
}

const rules: ReadonlyMap<number, FrameRule> = new Map<number, FrameRule>([
  [frameTypes.data, { name: "DATA", section: "6.1", on: "stream", fits: () => true }],
  [frameTypes.headers, { name: "HEADERS", section: "6.2", on: "stream", fits: () => true }],
  [frameTypes.priority, { name: "PRIORITY", section: "6.3", on: "stream", fits: (bytes) => bytes === 5 }],
  [frameTypes.reset, { name: "RST_STREAM", section: "6.4", on: "stream", fits: (bytes) => bytes === 4 }],
  [
    frameTypes.settings,
    {
      name: "SETTINGS",
      section: "6.5",
      on: "connection",
      fits: (bytes, flags) => ((flags & frameFlags.ack) === 0 ? bytes % 6 === 0 : bytes === 0),
    },
  ],
  [frameTypes.ping, { name: "PING", section: "6.7", on: "connection", fits: (bytes) => bytes === 8 }],
  [frameTypes.goaway, { name: "GOAWAY", section: "6.8", on: "connection", fits: (bytes) => bytes >= 8 }],
  [frameTypes.windowUpdate, { name: "WINDOW_UPDATE", section: "6.9", on: "either", fits: (bytes) => bytes === 4 }],
  [frameTypes.continuation, { name: "CONTINUATION", section: "6.10", on: "stream", fits: () => true }],
]);

/**
 * Throws a ProtocolViolation. `nextStream` is the first stream that the client has not opened; a server opens none
 * (section 5.1.1).
 */
export function checkFrame({ type, flags, stream }: FrameHead, bytes: number, nextStream: number): void {
  const rule = rules.get(type);
  // unknown types of frames are ignored (section 5.5)
  if (rule === undefined) return;
  const { name, section, on, fits } = rule;
  if (!fits(bytes, flags)) throw new ProtocolViolation(`a ${name} of ${bytes} bytes (RFC 9113, ${section})`);
  if (stream === 0 ? on === "stream" : on === "connection") {
    throw new ProtocolViolation(`a ${name} on stream ${stream} (RFC 9113, ${section})`);
  }
  if (stream === 0 || type === frameTypes.priority) return;
  if (stream >= nextStream || stream % 2 === 0) {
    throw new ProtocolViolation(`a ${name} on stream ${stream}, which nobody opened (RFC 9113, 5.1)`);
  }
}

/**
 * The settings of a frame; of repeated ones the last counts. Throws a ProtocolViolation if a value is not allowed
 * (section 6.5.2).
 */
export function readSettings(payload: Buffer): ReadonlyMap<number, number> {
  const settings = new Map<number, number>();
  for (let at = 0; at < payload.length; at += 6) {
    const id = payload.readUInt16BE(at);
    const value = payload.readUInt32BE(at + 2);
    const [least, most] = bounds.get(id) ?? [0, Number.POSITIVE_INFINITY];
    if (value < least || value > most) throw new ProtocolViolation(`setting ${id} is ${value} (RFC 9113, 6.5.2)`);
    settings.set(id, value);
  }
  return settings;
}

const bounds: ReadonlyMap<number, readonly [least: number, most: number]> = new Map([
  [settingIds.enablePush, [0, 1]],
  [settingIds.initialWindowSize, [0, maxWindowBytes]],
  [settingIds.maxFrameSize, [16_384, 2 ** 24 - 1]],
]);
