/** Predicts the outcome of a container's command, where that is possible without running it. Used only with `followCommands`. */
import type { Container, Pod } from "../../api/index.js";
import { dereference, type ContainerEnvironment, environmentOf, type Sources } from "./environment.js";
import { NotUnderstood } from "./not-understood.js";
import { type Ending, followCommand, followScript, forever } from "./shell.js";

/**
 * Undefined if the command is the image's own, or more than simple shell: then nothing is known. Commands are followed,
 * never run: `sleep 5`, `sh -c "sleep 5; exit 3"`, loops and comparisons of environment variables.
 */
export function outcomeOf(pod: Pod, container: Container, sources?: Sources): Ending | undefined {
  const environment = environmentOf(pod, container, sources);
  const words = [...(container.command ?? []), ...(container.args ?? [])].map((word) => dereference(word, environment));
  const [name, ...args] = words;
  if (isPause(container)) return forever;
  if (name === undefined || (container.command === undefined && !isPassedOn(name))) return undefined;
  try {
    return follow(name, args, environment);
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

/** True for the pause image, and for the test image that can pause. */
function isPause({ image = "", command = [], args = [] }: Container): boolean {
  const name = image.replace(/^.*\//, "").replace(/[:@].*/s, "");
  return command.length === 0 && (name === "pause" || (name === "agnhost" && (args[0] ?? "pause") === "pause"));
}

/** Arguments that begin with a shell or a sleep are a command: images without one of their own run it, as `kubectl run` counts on. */
const isPassedOn = (name: string): boolean => isShell(name) || /^(?:\/bin\/)?sleep$/.test(name);

export const isShell = (name: string): boolean => /^(?:\/bin\/|\/usr\/bin\/)?(?:sh|bash|ash|dash)$/.test(name);

export function follow(name: string, args: readonly string[], environment: ContainerEnvironment): Ending {
  if (!isShell(name)) return followCommand(name, args, environment);
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const script = at === -1 ? undefined : args[at + 1];
  if (script === undefined) throw new NotUnderstood("a shell that reads its standard input");
  return followScript(script, environment);
}
