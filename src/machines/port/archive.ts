/** Reads and writes tar archives (POSIX ustar and pax) of plain files, as `kubectl cp` sends and expects them. Pure. */

const blockSize = 512;

interface Header {
  readonly name: string;
  readonly size: number;
  readonly type: string;
}

const textOf = (bytes: Buffer): string => {
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end === -1 ? bytes.length : end).toString("utf8");
};

/** The files in an archive by their names; throws for bytes that are none. Links and devices are passed over. */
export function readArchive(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  let renamed: string | undefined;
  for (let at = 0; at + blockSize <= bytes.length; ) {
    const block = bytes.subarray(at, at + blockSize);
    if (block.every((byte) => byte === 0)) return files;
    const { name, size, type } = headerOf(block);
    const content = bytes.subarray(at + blockSize, at + blockSize + size);
    if (content.length < size) throw new Error("Unexpected EOF in archive");
    at += blockSize + Math.ceil(size / blockSize) * blockSize;
    if (type === "x") renamed = pathIn(content) ?? renamed;
    else if (type === "L") renamed = textOf(content);
    else {
      if (type === "0" || type === "\0") files.set(renamed ?? name, Buffer.from(content));
      renamed = undefined;
    }
  }
  return files;
}

function headerOf(block: Buffer): Header {
  const sum = Number.parseInt(textOf(block.subarray(148, 156)), 8);
  if (sum !== checksum(block)) throw new Error("This does not look like a tar archive");
  const size = Number.parseInt(textOf(block.subarray(124, 136)).trim() || "0", 8);
  if (!(size >= 0)) throw new Error("This does not look like a tar archive");
  const prefix = textOf(block.subarray(257, 262)) === "ustar" ? textOf(block.subarray(345, 500)) : "";
  const name = textOf(block.subarray(0, 100));
  return { name: prefix === "" ? name : `${prefix}/${name}`, size, type: String.fromCharCode(block[156] as number) };
}

/** The sum of all bytes, with blanks in the place of the sum itself. */
function checksum(block: Buffer): number {
  let sum = 0;
  for (const [i, byte] of block.entries()) sum += i >= 148 && i < 156 ? 0x20 : byte;
  return sum;
}

/** The path in a pax record (`27 path=long/name\n`). */
function pathIn(records: Buffer): string | undefined {
  return /^\d+ path=(.*)$/m.exec(records.toString("utf8"))?.[1];
}

/** An archive of these files. A name that is too long for its header goes before it, in a pax record. */
export function writeArchive(files: Iterable<readonly [name: string, content: Buffer]>): Buffer {
  const blocks: Buffer[] = [];
  for (const [name, content] of files) {
    if (Buffer.byteLength(name) > 100) {
      const record = paxRecord(name);
      blocks.push(header({ name: "pax", size: record.length, type: "x" }), padded(record));
    }
    blocks.push(header({ name, size: content.length, type: "0" }), padded(content));
  }
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)]);
}

/** The length in front of a record counts its own digits. */
function paxRecord(name: string): Buffer {
  const rest = ` path=${name}\n`;
  const length = Buffer.byteLength(rest);
  const digits = String(length + String(length).length).length;
  return Buffer.from(`${length + digits}${rest}`);
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((blockSize - (content.length % blockSize)) % blockSize)]);
}

function header({ name, size, type }: Header): Buffer {
  const block = Buffer.alloc(blockSize);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, "0")}\0`;
  block.write(name, 0, 100);
  block.write(octal(0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  block.write(type, 156);
  block.write("ustar\u000000", 257, "latin1");
  block.write(`${checksum(block).toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
