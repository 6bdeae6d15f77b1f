/** The page of a manager: takes its published state, gives a handler that loads the page's code when somebody first opens it. */
import { type Clock, isLoopback, messageOf } from "../../base/index.js";
import type { Controller } from "../../controller/index.js";
import type { Leadership, PageSources, ShownInformer } from "../../dashboard/index.js";
import type { Cluster } from "../cluster.js";
import type { PageServer, ShownManager } from "./http-server.js";
import type { LeaderElector } from "../leader-election/index.js";
import type { ManagerOptions } from "../options.js";

/** The parts of a manager that its page shows. */
export interface PageParts {
  readonly manager: Omit<ShownManager, "elector"> & { readonly elector: LeaderElector | undefined };
  /** The manager's own cluster first. */
  readonly clusters: readonly Cluster[];
  readonly controllers: ReadonlyMap<string, Pick<Controller<never>, "name" | "figures" | "keys">>;
  readonly clock: Clock;
}

const refusal = `the page is not shown where other machines can reach it without a token:
give the manager's option http a token, { port, page: { token } }, or a loopback address, { port, host: "127.0.0.1" }
`;

/** Undefined if the page is switched off. */
export function servedPage(http: NonNullable<ManagerOptions["http"]>, parts: PageParts): PageServer | undefined {
  const { host = "0.0.0.0", page } = http;
  if (page === false) return undefined;
  const token = page?.token;
  let loaded: Promise<PageServer> | undefined;
  const load = async (): Promise<PageServer> => {
    const { Page } = await import("../../dashboard/index.js");
    return new Page(sourcesOf(parts), { token });
  };
  return {
    async answer(request, response) {
      if (token === undefined && !isLoopback(host)) {
        response.writeHead(403, { "content-type": "text/plain; charset=utf-8" }).end(refusal);
        return;
      }
      await (await (loaded ??= load())).answer(request, response);
    },
    [Symbol.dispose]: () => void loaded?.then((opened) => opened[Symbol.dispose]()),
  };
}

function sourcesOf({ manager, clusters, controllers, clock }: PageParts): PageSources {
  const { elector } = manager;
  return {
    title: "manager",
    informers: () => shownInformers(clusters),
    loops: () => controllers.values(),
    journal: () => manager.journal,
    metrics: manager.metrics,
    client: () => clusters[0]?.client,
    problems: () => manager.problems(),
    leadership: () => elector && leadershipOf(elector),
    clock,
  };
}

/** The leadership of a process as its page shows it. */
export function leadershipOf({ lease, identity, isLeader, leader = "", endedTerm }: LeaderElector): Leadership {
  const shown = { lease: `${lease.namespace}/${lease.name}`, identity, leads: isLeader, leader };
  if (isLeader || endedTerm === undefined || endedTerm.why === "stopped") return shown;
  const { at, why, failure } = endedTerm;
  const cause = failure === undefined ? `${leader || "another process"} took it` : messageOf(failure);
  return { ...shown, lost: { at, why: why === "replaced" ? "the coordinator preferred another" : cause } };
}

function* shownInformers(clusters: readonly Cluster[]): Iterable<ShownInformer> {
  for (const { name, factory } of clusters)
    for (const informer of factory.informers.values()) yield { cluster: name, informer };
}
