/** An object as the bytes in which it leaves the server; the object itself is kept only while it is in use. */
import { Recent } from "../../base/index.js";
import type { KubeObject } from "../../api/index.js";

const decoder = new TextDecoder();

/**
 * Bytes are a half or a third of what the object takes, and most objects are written once and then only sent. So the object is
 * read from its bytes again when somebody asks after a while; by weight of the bytes, this much is kept at hand, for all stores together.
 */
const atHand = new Recent<Encoded, KubeObject>({ weight: 8 * 1024 * 1024 });

/** Neither form may ever be modified. Two reads of `object` may give two objects, which say the same. */
export class Encoded {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array, object?: KubeObject) {
    this.bytes = bytes;
    if (object !== undefined) atHand.set(this, object, bytes.length);
  }

  static of(object: KubeObject): Encoded {
    return new Encoded(encode(object), object);
  }

  get object(): KubeObject {
    let object = atHand.get(this);
    if (object === undefined) {
      object = JSON.parse(decoder.decode(this.bytes)) as KubeObject;
      atHand.set(this, object, this.bytes.length);
    }
    return object;
  }
}

const newline = 0x0a;

/** In memory of their own: what shares a pool with short-lived bytes keeps those alive. Behind them a line ends, for `asLine`. */
export function encode(object: KubeObject): Uint8Array {
  const text = JSON.stringify(object);
  const length = Buffer.byteLength(text);
  const line = Buffer.allocUnsafeSlow(length + 1);
  line.write(text);
  line[length] = newline;
  return line.subarray(0, length);
}

/** The bytes and the end of a line, as objects are answered. What `encode` gave is not copied. */
export function asLine(bytes: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = bytes;
  if (buffer.byteLength > byteOffset + length) {
    const line = Buffer.from(buffer, byteOffset, length + 1);
    if (line[length] === newline) return line;
  }
  return Buffer.concat([bytes, Buffer.of(newline)]);
}
