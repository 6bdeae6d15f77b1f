/** Decisions with extenders: they narrow and rate the nodes that fit, and the candidates of a preemption. */
import type { Node, Pod } from "../../api/index.js";
import { type Logger, messageOf } from "../../base/index.js";
import { best, type ChooseOptions, count, type Decision, type Feasible, findFeasible } from "../decide/choose.js";
import type { Candidate } from "../decide/preemption.js";
import { FilterError } from "../filters/filter.js";
import type { ClusterView } from "../state/cluster-state.js";
import type { NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";
import type { Extender, NamedVictims, Victims } from "./extender.js";

export interface ExtendersAtWork {
  /** The ones that are interested in the pod, in their order. */
  readonly extenders: readonly Extender[];
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The name by which a failure tells that extenders refused nodes; no filter has it. */
const extenderName = "Extender";

/** As `choose`, with extenders. Nodes that go while they answer are not chosen. */
export async function chooseWith(
  pod: PodInfo,
  view: ClusterView,
  options: ChooseOptions & ExtendersAtWork,
): Promise<Decision> {
  const isFilteredAgain = options.extenders.some(({ filters }) => filters);
  const search = { ...options, isFilteredAgain };
  let found = await narrowed(findFeasible(pod, view, search), pod.pod, options);
  if (found.feasible.length === 0 && pod.pod.status?.nominatedNodeName) {
    found = await narrowed(findFeasible(pod, view, { ...search, ignoresNomination: true }), pod.pod, options);
  }
  const further =
    found.feasible.length > 1 ? await ratings(found.feasible, pod.pod, options) : new Map<string, number>();
  const feasible = found.feasible.filter(({ name }) => view.node(name)?.node !== undefined);
  if (feasible.length === 0) return { type: "none", failure: found.failure };
  const { scores = [], random } = options;
  const node = best(pod, view, {
    feasible,
    scores,
    random,
    answers: found.answers,
    further: ({ name }) => further.get(name) ?? 0,
  });
  return { type: "chosen", node: node.name, looked: found.looked, feasible: feasible.length };
}

const objects = (nodes: readonly NodeInfo[]): readonly Node[] => nodes.flatMap(({ node }) => (node ? [node] : []));

async function narrowed(found: Feasible, pod: Pod, { extenders, log, signal }: ExtendersAtWork): Promise<Feasible> {
  let { feasible } = found;
  const { failure } = found;
  const reasons = new Map(failure.reasons);
  const resolvable = [...failure.resolvable];
  for (const extender of extenders.filter(({ filters }) => filters)) {
    if (feasible.length === 0) break;
    const asked = feasible;
    try {
      const { nodes, failed, unresolvable } = await extender.filter(pod, objects(asked), signal);
      for (const [name, reason] of [...unresolvable, ...failed]) {
        const isSaid = failed.has(name) && unresolvable.has(name) && unresolvable.get(name) !== reason;
        if (!isSaid) count(reasons, reason);
      }
      resolvable.push(...asked.filter(({ name }) => failed.has(name) && !unresolvable.has(name)));
      feasible = asked.filter(({ name }) => nodes.includes(name));
    } catch (error) {
      if (signal.aborted) throw error;
      if (!extender.isIgnorable) throw new FilterError(messageOf(error), { cause: error });
      log.info("an extender was skipped", { extender: extender.name, error });
    }
  }
  if (feasible.length === found.feasible.length) return found;
  const filters = new Set([...failure.filters, extenderName]);
  return { ...found, feasible, failure: { ...failure, reasons, resolvable, filters } };
}

/** An extender that fails has no say. */
async function ratings(
  feasible: readonly NodeInfo[],
  pod: Pod,
  { extenders, log, signal }: ExtendersAtWork,
): Promise<ReadonlyMap<string, number>> {
  const totals = new Map<string, number>();
  const asked = extenders.filter(({ prioritizes }) => prioritizes);
  const answers = asked.map((extender) =>
    extender.prioritize(pod, objects(feasible), signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      log.info("an extender gave no scores", { extender: extender.name, error });
      return new Map<string, number>();
    }),
  );
  for (const scores of await Promise.all(answers)) {
    for (const [node, score] of scores) totals.set(node, (totals.get(node) ?? 0) + score);
  }
  return totals;
}

/** The candidates that the extenders leave, with the victims that they name; the message of one that failed and must not. */
export async function candidatesWith(
  pod: Pod,
  candidates: readonly Candidate[],
  { view, extenders, log, signal }: ExtendersAtWork & { readonly view: ClusterView },
): Promise<readonly Candidate[] | string> {
  let left = candidates;
  for (const extender of extenders.filter(({ preempts }) => preempts)) {
    if (left.length === 0) break;
    const victims = new Map(
      left.map((one): [string, Victims] => [
        one.node,
        { pods: one.victims.map((victim) => victim.pod), violations: one.violations },
      ]),
    );
    try {
      left = [...(await extender.preempt(pod, victims, signal))].flatMap(([node, named]) =>
        candidateFrom(node, named, { view, extender }),
      );
    } catch (error) {
      if (signal.aborted) throw error;
      if (!extender.isIgnorable) return messageOf(error);
      log.info("an extender was skipped", { extender: extender.name, error });
    }
  }
  return left;
}

function candidateFrom(
  node: string,
  { uids, violations }: NamedVictims,
  { view, extender }: { readonly view: ClusterView; readonly extender: Extender },
): readonly Candidate[] {
  const here = view.node(node);
  if (here === undefined) throw new Error(`nodeinfo not found for node name "${node}"`);
  const victims = uids.map((uid) => {
    const victim = here.pods.get(uid);
    if (victim !== undefined) return victim;
    const claim = `claims to preempt pod (UID: ${uid}) on node: ${node}, but the pod is not found on that node`;
    throw new Error(`extender: ${extender.name} ${claim}`);
  });
  if (victims.length > 0) return [{ node, victims, violations }];
  if (extender.isIgnorable) return [];
  throw new Error(`expected at least one victim pod on node "${node}"`);
}
