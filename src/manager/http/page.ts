/** The pages of a manager: takes its published state, gives a server whose page loads its code when somebody first opens it. */
import type { IncomingMessage } from "node:http";
import { type Clock, isLoopback, type Logger, messageOf } from "../../base/index.js";
import type { Controller } from "../../controller/index.js";
import type { Leadership, PageSources, ShownInformer } from "../../dashboard/index.js";
import type { Cluster } from "../cluster.js";
import {
  type Answer,
  type HttpHandler,
  type HttpServer,
  managerAnswer,
  type PageServer,
  type ReviewProblems,
  type ShownManager,
  startHttpServer,
} from "./http-server.js";
import type { LeaderElector } from "../leader-election/index.js";
import type { ManagerOptions } from "../options.js";

/** The parts of a manager that its page shows. */
interface PageParts {
  readonly manager: Omit<ShownManager, "elector"> & { readonly elector: LeaderElector | undefined };
  /** The manager's own cluster first. */
  readonly clusters: readonly Cluster[];
  readonly controllers: ReadonlyMap<string, Pick<Controller<never>, "name" | "figures" | "keys">>;
  readonly clock: Clock;
}

interface ServedParts extends PageParts {
  readonly handlers: ReadonlyMap<string, HttpHandler>;
  readonly reviews: ReviewProblems;
  readonly log: Logger;
}

const refusal = `the page is not shown where other machines can reach it without a token:
give the manager's option http a token, { port, page: { token } }, or a loopback address, { port, host: "127.0.0.1" }
`;

/** Serves the probes, the metrics and the page of a manager. */
export function startPages(http: NonNullable<ManagerOptions["http"]>, parts: ServedParts): Promise<HttpServer> {
  const { manager, handlers, log, reviews } = parts;
  const answer = (request: IncomingMessage): Answer => managerAnswer(request, manager, reviews);
  return startHttpServer({ ...http, page: servedPage(http, parts), handlers, answer, log });
}

/** Undefined if the page is switched off. */
function servedPage(http: NonNullable<ManagerOptions["http"]>, parts: PageParts): PageServer | undefined {
  const { host, page } = http;
  if (page === false) return undefined;
  const token = page?.token;
  let loaded: Promise<PageServer> | undefined;
  const load = async (): Promise<PageServer> => {
    const { Page } = await import("../../dashboard/index.js");
    return new Page(sourcesOf(parts), { token });
  };
  return {
    async answer(request, response) {
      if (token === undefined && (host === undefined || !isLoopback(host))) {
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
