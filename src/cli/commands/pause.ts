/** `coxswain pause` and `coxswain resume`: set and remove the annotation that makes controllers leave an object alone. */
import { Command } from "commander";
import { type Client, connect } from "../../client/index.js";
import { pausedAnnotation } from "../../controller/index.js";
import { parseName, parsePath } from "../flags.js";
import type { Terminal } from "../terminal.js";

interface PauseFlags {
  readonly kubeconfig?: string;
  readonly namespace?: string;
  readonly controllers?: string;
}

const forms = "Give a kind and names, as in: foo web db, or foos.example.com/web";

export function pauseCommand(terminal: Terminal): Command {
  return annotating(terminal, "pause", (_kind, { controllers }) => controllers ?? "true")
    .description(
      "make Coxswain's controllers leave objects alone, except for clean-up after a deletion; with the Lease of a manager, pause its controllers",
    )
    .option("--controllers <names>", "only these, e.g. web,backup");
}

export function resumeCommand(terminal: Terminal): Command {
  return annotating(terminal, "resume", () => null).description(
    "let paused objects, or the controllers of a Lease, go on",
  );
}

function annotating(
  terminal: Terminal,
  verb: "pause" | "resume",
  valueOf: (kind: string, flags: PauseFlags) => string | null,
): Command {
  return new Command(verb)
    .argument("<kind>", "its kind, short name or plural, alone or with its group; or kind/name")
    .argument("[names...]", "the names of objects")
    .option("-n, --namespace <name>", "that of the objects; the context's if absent", parseName)
    .option("--kubeconfig <file>", "the cluster; as kubectl finds it if absent", parsePath)
    .action(async (kind: string, names: readonly string[], flags: PauseFlags) => {
      using stop = terminal.stopSignal();
      const { kubeconfig } = flags;
      await using client = await connect(kubeconfig === undefined ? {} : { kubeconfig });
      for (const [of, name] of objectsOf(kind, names)) {
        await annotate(client, { kind: of, name, value: valueOf(of, flags), ...flags, signal: stop.signal });
        terminal.out(`${of}/${name} ${verb}d\n`);
      }
    });
}

/** The kind and name of each object, as kubectl reads them: `kind name name`, or `kind/name kind/name`. */
function objectsOf(kind: string, names: readonly string[]): readonly (readonly [kind: string, name: string])[] {
  if (!kind.includes("/")) {
    if (names.length === 0) throw new Error(`no object is named. ${forms}`);
    return names.map((name) => [kind, name]);
  }
  return [kind, ...names].map((text) => {
    const [of = "", name = "", ...more] = text.split("/");
    if (of === "" || name === "" || more.length > 0)
      throw new Error(`${JSON.stringify(text)} names no object. ${forms}`);
    return [of, name];
  });
}

async function annotate(
  client: Client,
  of: {
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
    readonly value: string | null;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { kind, name, namespace, value, signal } = of;
  const type = await client.discovery.find(kind, { signal });
  const scope = type.scope === "Namespaced" ? { namespace: namespace ?? client.namespace } : {};
  const merge = { metadata: { annotations: { [pausedAnnotation]: value } } };
  await client.resource(type, scope).patch(name, { merge } as never, { signal, fieldManager: "coxswain-pause" });
}
