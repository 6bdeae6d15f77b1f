/** Follows the programs of Kubernetes' test image `agnhost` that print, read the files of volumes or wait: takes its arguments, gives their end. */
import { posix } from "node:path";
import { durationToMs } from "../../api/index.js";
import { atOnce, type Ending, forever, type Line, printed } from "./ending.js";
import { NotUnderstood, numberOf } from "./not-understood.js";
import { type CommandSurroundings, fileText } from "./surroundings.js";

/** `name` is the path of the program, which one of its parts prints. Throws `NotUnderstood` for other parts. */
export function followTestImage(name: string, args: readonly string[], surroundings: CommandSurroundings): Ending {
  const [part = "pause", ...rest] = args;
  switch (part) {
    case "pause":
      return { ...forever, output: printed("Paused") };
    case "entrypoint-tester":
      return atOnce(0, printed(`[${[name, ...args].join(" ")}]`));
    case "etc-hosts":
      return atOnce(0, printed(fileText("/etc/hosts", surroundings)));
    case "logs-generator":
      return generateLogs(flagsOf(rest));
    case "mounttest":
      return new MountTest(flagsOf(rest), surroundings).follow();
    default:
      throw new NotUnderstood(`${name} ${part} would have to be run`);
  }
}

type Flags = ReadonlyMap<string, string>;

/** Flags as `--name=value` or `--name value`. */
function flagsOf(args: readonly string[]): Flags {
  const flags = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const { name, value } = /^--(?<name>[\w-]+)(?:=(?<value>.*))?$/s.exec(args[at] ?? "")?.groups ?? {};
    if (name === undefined) throw new NotUnderstood(`${JSON.stringify(args[at])} is no flag`);
    flags.set(name, value ?? args[++at] ?? "");
  }
  return flags;
}

/** Lines in the form of a server's log, spread evenly over a time. */
function generateLogs(flags: Flags): Ending {
  const lines = numberOf(flags.get("log-lines-total") ?? "0");
  const durationMs = durationToMs(flags.get("run-duration") ?? "0s");
  if (lines <= 0 || lines > maxLines || durationMs <= 0) throw new NotUnderstood("logs-generator needs two numbers");
  const output = Array.from({ length: lines }, (_, id) => ({
    at: (id * durationMs) / lines,
    text: `${id} GET /api/v1/namespaces/${id % 2 === 0 ? "default" : "kube-system"}/pods/pod-${id} 200`,
  }));
  return { slept: durationMs, exitCode: 0, output };
}

const maxLines = 10_000;

/** The content that the program writes, and that it waits for. */
const written = "mount-tester new file\n";
const lookEveryMs = 2_000;

/** Mode and content of files in volumes, and new files in an `emptyDir`. Its steps have the order of the program's. */
class MountTest {
  readonly #flags: Flags;
  readonly #surroundings: CommandSurroundings;
  readonly #new = new Map<string, number>();
  readonly #output: Line[] = [];
  #slept = 0;
  #failed = false;

  constructor(flags: Flags, surroundings: CommandSurroundings) {
    this.#flags = flags;
    this.#surroundings = surroundings;
    if (flags.has("file_owner")) throw new NotUnderstood("owners of files are not known");
  }

  follow(): Ending {
    this.#on("fs_type", (path) => {
      const found = this.#find(path);
      if (found?.type !== "folder") throw new NotUnderstood(`${path} is no volume whose type is known`);
      // a type without a name has its number, here that of ext4
      this.#say(`mount type of ${JSON.stringify(path)}: ${found.inMemory ? "tmpfs" : "61267"}`);
    });
    for (const mode of [0o644, 0o666, 0o660, 0o777])
      this.#on(`new_file_0${mode.toString(8)}`, (path) => this.#write(path, mode));
    this.#on("file_mode", (path) => this.#showMode("mode", path));
    this.#on("file_perm", (path) => this.#showMode("perms", path));
    this.#on("file_content", (path) => this.#show(path));
    this.#on("file_content_in_loop", (path) => this.#watch(path));
    return { slept: this.#slept, exitCode: this.#failed ? 1 : 0, output: this.#output };
  }

  #on(flag: string, act: (path: string) => void): void {
    const path = this.#flags.get(flag);
    if (path !== undefined && path !== "") act(path);
  }

  #say(text: string): void {
    this.#output.push(...printed(text, this.#slept));
  }

  #find(path: string): ReturnType<CommandSurroundings["file"]> {
    const place = posix.resolve("/", path);
    const mode = this.#new.get(place);
    return mode === undefined ? this.#surroundings.file(place) : { type: "file", content: Buffer.from(written), mode };
  }

  #content(path: string): string | undefined {
    const found = this.#find(path);
    if (found?.type === "token") throw new NotUnderstood(`${path} is a token`);
    return found?.type === "file" ? found.content.toString() : undefined;
  }

  #write(path: string, mode: number): void {
    const place = posix.resolve("/", path);
    if (this.#surroundings.file(posix.dirname(place))?.type !== "folder") {
      throw new NotUnderstood(`${path} is in no volume that can be written`);
    }
    this.#new.set(place, mode);
    this.#show(path);
  }

  #showMode(word: "mode" | "perms", path: string): void {
    const found = this.#find(path);
    if (found === undefined) return this.#miss("from Stat", path);
    const kind = word === "mode" && found.type === "folder" ? "d" : "-";
    this.#say(`${word} of file ${JSON.stringify(path)}: ${kind}${permissions(found.mode)}`);
  }

  #show(path: string): void {
    const content = this.#content(path);
    if (content === undefined) return this.#miss("reading file content for", path);
    this.#say(`content of file ${JSON.stringify(path)}: ${content}`);
  }

  #miss(what: string, path: string): void {
    this.#say(`error ${what} ${JSON.stringify(path)}: no such file or directory`);
    this.#failed = true;
  }

  /** Shows the file every two seconds until it has the expected content, or for the whole time. */
  #watch(path: string): void {
    const endsEarly = this.#flags.get("break_on_expected_content") !== "false";
    const untilMs = 1_000 * numberOf(this.#flags.get("retry_time") ?? "180");
    if (untilMs / lookEveryMs > maxLines) throw new NotUnderstood("mounttest waits too long");
    const content = this.#content(path);
    for (const from = this.#slept; this.#slept - from < untilMs; this.#slept += lookEveryMs) {
      if (content === undefined) this.#say(`Error reading file ${path}: no such file or directory, retrying`);
      else this.#say(`content of file ${JSON.stringify(path)}: ${content}`);
      if (endsEarly && content === written) return;
    }
    if (content === undefined) this.#failed = true;
  }
}

const permissions = (mode: number): string =>
  Array.from("rwxrwxrwx", (letter, i) => ((mode >> (8 - i)) & 1 ? letter : "-")).join("");
