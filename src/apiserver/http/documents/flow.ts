/** The queues of priority and fairness as text, in kube-apiserver's columns, for people who look for the cause of a wait. */
import type { FlowControl } from "../../flow/flow-control.js";
import type { Level } from "../../flow/levels.js";
import { totalWork, widthOf } from "../../flow/work.js";
import { textAnswer } from "../answers/answer.js";
import type { DocumentRoute } from "../route.js";

export function flowRoute(flow: FlowControl): DocumentRoute {
  return ({ path }) => {
    const text = flowDump(flow, path);
    return text === undefined ? undefined : textAnswer(200, text);
  };
}

const folder = "/debug/api_priority_and_fairness/";

/** The text under one of the server's debugging paths; undefined for another path. */
function flowDump(flow: FlowControl, path: string): string | undefined {
  if (!path.startsWith(folder)) return undefined;
  const levels = [...flow.levels].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  switch (path.slice(folder.length)) {
    case "dump_priority_levels":
      return table([levelColumns, ...levels.map(levelRow)]);
    case "dump_queues":
      return table([queueColumns, ...levels.flatMap(queueRows)]);
    case "dump_requests":
      return table([requestColumns, ...requestRows(flow, levels)]);
    default:
      return undefined;
  }
}

const levelColumns = [
  "PriorityLevelName",
  "ActiveQueues",
  "IsIdle",
  "IsQuiescing",
  "WaitingRequests",
  "ExecutingRequests",
  "DispatchedRequests",
  "RejectedRequests",
  "TimedoutRequests",
  "CancelledRequests",
];

function levelRow({ name, queues, isLeaving, counts }: Level): readonly string[] {
  const active = queues.describe().filter(({ waiting }) => waiting.length > 0).length;
  const { waiting, executing, isIdle } = queues;
  const { dispatched, rejected, cancelled } = counts;
  return [name, active, isIdle, isLeaving, waiting, executing, dispatched, rejected, 0, cancelled].map(String);
}

const queueColumns = [
  "PriorityLevelName",
  "Index",
  "PendingRequests",
  "ExecutingRequests",
  "MaxSeatsSum",
  "TotalWorkSum",
];

function queueRows({ name, queues }: Level): readonly (readonly string[])[] {
  return queues.describe().map(({ index, waiting, executing }) => {
    const sum = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0);
    const [seats, work] = [
      sum(waiting.map((one) => widthOf(one.work))),
      sum(waiting.map((one) => totalWork(one.work))),
    ];
    return [name, index, waiting.length, executing, seats, `${(work / 1000).toFixed(8)}ss`].map(String);
  });
}

const requestColumns = [
  "PriorityLevelName",
  "FlowSchemaName",
  "QueueIndex",
  "RequestIndexInQueue",
  "FlowDistingsher",
  "InitialSeats",
  "FinalSeats",
  "AdditionalLatency",
];

/** The waiting requests. */
function* requestRows(flow: FlowControl, levels: readonly Level[]): Generator<readonly string[]> {
  for (const { name, queues } of levels) {
    for (const { index, waiting } of queues.describe()) {
      for (const [place, ticket] of waiting.entries()) {
        const { schema = "", distinguisher = "" } = flow.waiting.get(ticket)?.flow ?? {};
        const { seats, finalSeats, lingerMs } = ticket.work;
        yield [name, schema, index, place, distinguisher, seats, finalSeats, `${lingerMs}ms`].map(String);
      }
    }
  }
}

/** Columns are as wide as their widest cell, with commas between, as kube-apiserver prints them. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? "").length)) + 2);
  return rows
    .map(
      (row) => `${row.map((cell, i) => (i === row.length - 1 ? cell : `${cell},`.padEnd(widths[i] ?? 0))).join("")}\n`,
    )
    .join("");
}
