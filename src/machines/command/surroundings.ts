/** The things that a followed command can see: takes a container and the objects that it refers to, gives variables and files. */
import { posix } from "node:path";
import type { Container, Pod } from "../../api/index.js";
import { type ContainerEnvironment, environmentOf, type Sources } from "./environment.js";
import { hostsFile } from "./hosts-file.js";
import { NotUnderstood } from "./not-understood.js";
import { type MountedFile, mountedFile } from "./mounted-files.js";

export interface CommandSurroundings {
  readonly environment: ContainerEnvironment;
  /** Undefined for a file of which nothing is known. The path is absolute and normal. */
  readonly file: (path: string) => MountedFile | undefined;
}

export function surroundingsOf(pod: Pod, container: Container, sources?: Sources): CommandSurroundings {
  const environment = environmentOf(pod, container, sources);
  const mounting = { pod, container, environment, sources };
  return { environment, file: (path) => mountedFile(path, mounting) ?? managedFile(path, pod) };
}

function managedFile(path: string, pod: Pod): MountedFile | undefined {
  const text = path === "/etc/hosts" ? hostsFile(pod) : undefined;
  return text === undefined ? undefined : { type: "file", content: Buffer.from(text), mode: 0o644 };
}

/** Throws `NotUnderstood` if nothing is known of the file. */
export function fileText(path: string, { file }: CommandSurroundings): string {
  const found = posix.isAbsolute(path) ? file(posix.normalize(path)) : undefined;
  if (found?.type !== "file") throw new NotUnderstood(`nothing is known of the file ${JSON.stringify(path)}`);
  return found.content.toString();
}
