/** The things that a followed command can see: takes a container and the objects that it refers to, gives variables and files. */
import type { Container, Pod } from "../../api/index.js";
import { type ContainerEnvironment, environmentOf, type Sources } from "./environment.js";
import { type MountedFile, mountedFile } from "./mounted-files.js";

export interface CommandSurroundings {
  readonly environment: ContainerEnvironment;
  /** Undefined for a file of which nothing is known. The path is absolute and normal. */
  readonly file: (path: string) => MountedFile | undefined;
}

export function surroundingsOf(pod: Pod, container: Container, sources?: Sources): CommandSurroundings {
  const environment = environmentOf(pod, container, sources);
  return { environment, file: (path) => mountedFile(path, { pod, container, environment, sources }) };
}
