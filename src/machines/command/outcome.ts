/** Predicts the outcome of a container's command, where that is possible without running it. Used only with `followCommands`. */
import type { Container, Pod } from "../../api/index.js";
import { followCommand } from "./commands.js";
import { type Ending, forever } from "./ending.js";
import { dereference, type Sources } from "./environment.js";
import { NotUnderstood } from "./not-understood.js";
import { followScript } from "./shell.js";
import { type CommandSurroundings, surroundingsOf } from "./surroundings.js";

/**
 * Undefined if the command is the image's own, or more than simple shell: then nothing is known. Commands are followed,
 * never run: `sleep 5`, `sh -c "sleep 5; exit 3"`, loops and comparisons of environment variables.
 */
export function outcomeOf(pod: Pod, container: Container, sources?: Sources): Ending | undefined {
  const surroundings = surroundingsOf(pod, container, sources);
  const { command = [], args: given = [] } = ofTestImage(container);
  const words = [...command, ...given].map((word) => dereference(word, surroundings.environment));
  const [name, ...args] = words;
  if (isPause(container)) return forever;
  if (name === undefined || (command.length === 0 && !isPassedOn(name))) return undefined;
  try {
    return follow(name, args, surroundings);
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

const imageName = ({ image = "" }: Container): string => image.replace(/^.*\//, "").replace(/[:@].*/s, "");

const isPause = (container: Container): boolean =>
  (container.command ?? []).length === 0 && imageName(container) === "pause";

/** With the command of the image, if that is the test image. */
function ofTestImage(container: Container): Pick<Container, "command" | "args"> {
  const { command = [], args = [] } = container;
  if (command.length > 0 || imageName(container) !== "agnhost") return container;
  return { command: ["/agnhost"], args: args.length === 0 ? ["pause"] : args };
}

/** Arguments that begin with a shell or a sleep are a command: images without one of their own run it, as `kubectl run` counts on. */
const isPassedOn = (name: string): boolean => isShell(name) || /^(?:\/bin\/)?sleep$/.test(name);

export const isShell = (name: string): boolean => /^(?:\/bin\/|\/usr\/bin\/)?(?:sh|bash|ash|dash)$/.test(name);

export function follow(name: string, args: readonly string[], surroundings: CommandSurroundings): Ending {
  if (!isShell(name)) return followCommand(name, args, surroundings);
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const script = at === -1 ? undefined : args[at + 1];
  if (script === undefined) throw new NotUnderstood("a shell that reads its standard input");
  return followScript(script, surroundings);
}
