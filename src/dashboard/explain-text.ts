/** The history of an object as text: takes the page's answer, gives its family, the chain of causes and its events. Pure. */
import { describeReason } from "../workqueue/index.js";
import type { Chain, ChainRun, EventLine, TreeNode, WhyAnswer } from "./wire.js";

export function explainText({ object, family, problem, troubles, chain, events }: WhyAnswer): string {
  const title = `${object.kind} ${object.namespace === "" ? "" : `${object.namespace}/`}${object.name}`;
  const parts = [
    problem === undefined ? title : `${title}: ${problem}`,
    ...(troubles.length === 0 ? [] : [troubles.join("\n")]),
    ...(family === undefined ? [] : [treeLines(family, "").join("\n")]),
    chain.runs.length === 0 ? "No remembered reconcile concerns it." : chainLines(chain).join("\n"),
    ...(events.length === 0 ? [] : [["Events:", ...events.toReversed().map(eventText)].join("\n")]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function treeLines({ kind, name, state, children, more }: TreeNode, indent: string): string[] {
  return [
    `${indent}${kind} ${name}${state === "" ? "" : `  ${state}`}`,
    ...children.flatMap((child) => treeLines(child, `${indent}  `)),
    ...(more === 0 ? [] : [`${indent}  and ${more} more`]),
  ];
}

const chainLines = (chain: Chain): string[] => chain.runs.flatMap((run) => runLines(run, chain));

function runLines(run: ChainRun, { links }: Chain): string[] {
  const { id, key, startedAt, waitedMs, durationMs, reasons, omittedReasons, writes, result } = run;
  const time = new Date(startedAt).toISOString().slice(11, 23);
  const times = `after ${tenths(waitedMs)} ms in the queue, for ${tenths(durationMs)} ms`;
  const failure = "error" in result ? `: ${result.error}` : "";
  const because = reasons.map((reason) => {
    const { kind, key: about, revision = "" } = reason;
    const link = links.find(
      (one) => one.to === id && one.kind === kind && one.key === about && one.revision === revision,
    );
    const origin =
      link === undefined ? "" : link.from === undefined ? ", written elsewhere" : `, ${link.from} ${link.how} it`;
    return `  because ${describeReason(reason)}${revision === "" ? "" : ` @${revision}`}${origin}`;
  });
  const wrote = writes.map(({ verb, kind, key: written, revision, fields, outcome, error }) => {
    const woken = links.filter(
      (one) => revision !== "" && one.kind === kind && one.key === written && one.revision === revision,
    );
    const effect = woken.length === 0 ? "" : `, woke ${woken.map(({ to }) => to).join(", ")}`;
    const changed = outcome === "done" ? fields.join(", ") : [outcome, error].filter(Boolean).join(": ");
    return `  ${verb} ${kind} ${written}${revision === "" ? "" : ` @${revision}`}${changed === "" ? "" : ` (${changed})`}${effect}`;
  });
  return [
    `${time} ${id} reconciled ${key} ${times}: ${result.type}${failure}`,
    ...because,
    ...(omittedReasons > 0 ? [`  and ${omittedReasons} more reasons`] : []),
    ...wrote,
  ];
}

function eventText({ at, type, reason, message, source, count }: EventLine): string {
  const time = new Date(at).toISOString().slice(11, 19);
  return `${time} ${type} ${reason} from ${source}${count > 1 ? ` ×${count}` : ""}: ${message}`;
}

const tenths = (ms: number): string => ms.toFixed(1);
