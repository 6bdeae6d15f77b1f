/**
 * The files of simulated containers: `tar` unpacks them there, as `kubectl cp` asks, `tar` packs them again, and
 * `cat` shows them and those of volumes.
 */
import { posix } from "node:path";
import type { Readable } from "node:stream";
import { messageOf, Recent } from "../../base/index.js";
import { readArchive, writeArchive } from "./archive.js";

/** Limits on one archive, and on the files of one container; more does not fit on its disk. */
const maxArchive = 4 * 1024 * 1024;
const maxContainer = 16 * 1024 * 1024;
/** Half the limit on the files of all containers; the least recently used containers lose their files first. */
const halfOfAll = 32 * 1024 * 1024;

/** The result of a command about files; undefined for another command. */
interface Told {
  readonly code: number;
  readonly stdout?: Buffer;
  readonly stderr?: string;
}

export interface FileAccess {
  readonly stdin?: Readable | undefined;
  /** The content of a file that a volume brings; undefined if none does. */
  readonly mounted?: (path: string) => Promise<Buffer | undefined>;
}

export class ContainerFiles {
  readonly #known = new Recent<string, ReadonlyMap<string, Buffer>>({ weight: halfOfAll });

  /** `container` identifies the container for its life. */
  async run(
    container: string,
    command: readonly string[],
    { stdin, mounted }: FileAccess = {},
  ): Promise<Told | undefined> {
    const [name = "", ...args] = command;
    const paths = args.filter((arg) => !arg.startsWith("-"));
    switch (posix.basename(name)) {
      case "cat":
        return paths.length === 0 || paths.length < args.length
          ? undefined
          : await this.#shown(container, paths, mounted);
      case "tar": {
        const flags = args.filter((arg) => arg.startsWith("-") && arg !== "-").concat(args[0] ?? "");
        if (flags.some((flag) => /^-?x\w*f$/.test(flag))) return this.#unpack(container, folderOf(args), stdin);
        if (flags.some((flag) => /^-?cf$/.test(flag)))
          return this.#pack(
            container,
            paths.filter((one) => one !== "cf"),
          );
        return undefined;
      }
      default:
        return undefined;
    }
  }

  #of(container: string): ReadonlyMap<string, Buffer> {
    return this.#known.get(container) ?? new Map();
  }

  async #shown(container: string, paths: readonly string[], mounted: FileAccess["mounted"]): Promise<Told | undefined> {
    const read = async (path: string): Promise<Buffer | undefined> =>
      this.#of(container).get(path) ?? (await mounted?.(path));
    const contents = await Promise.all(paths.map((path) => read(posix.resolve("/", path))));
    // a file of the image, of which nothing is known
    if (contents.includes(undefined)) return undefined;
    return { code: 0, stdout: Buffer.concat(contents as readonly Buffer[]) };
  }

  async #unpack(container: string, folder: string, stdin: Readable | undefined): Promise<Told> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of stdin?.iterator({ destroyOnReturn: false }) ?? []) {
      length += (chunk as Buffer).length;
      if (length <= maxArchive) chunks.push(chunk as Buffer);
    }
    if (length > maxArchive) return full;
    let unpacked: ReadonlyMap<string, Buffer>;
    try {
      unpacked = readArchive(Buffer.concat(chunks));
    } catch (error) {
      return refused(messageOf(error));
    }
    const files = new Map(this.#of(container));
    for (const [name, content] of unpacked) files.set(posix.resolve("/", folder, name), content);
    let weight = 0;
    for (const [path, content] of files) weight += path.length + content.length;
    if (weight > maxContainer) return full;
    this.#known.set(container, files, weight);
    return { code: 0 };
  }

  #pack(container: string, paths: readonly string[]): Told {
    const roots = paths.map((path) => posix.resolve("/", path));
    const isIn = (path: string): boolean => roots.some((root) => path === root || path.startsWith(`${root}/`));
    const found = [...this.#of(container)].filter(([path]) => isIn(path));
    if (found.length === 0) return refused(`${paths.join(" ")}: Cannot stat: No such file or directory`);
    return { code: 0, stdout: writeArchive(found.map(([path, content]) => [path.slice(1), content] as const)) };
  }
}

function folderOf(args: readonly string[]): string {
  const at = args.indexOf("-C");
  return at === -1 ? "/" : (args[at + 1] ?? "/");
}

const refused = (why: string): Told => ({
  code: 2,
  stderr: `tar: ${why}\ntar: Exiting with failure status due to previous errors\n`,
});

const full: Told = refused("write error: No space left on device");
