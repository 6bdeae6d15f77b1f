/** What a CronJob does now: takes it, its Jobs and the time, gives the run to start, or when to look again. Pure. */
import { type CronJob, type Job, parseTime } from "../../api/index.js";
import { parseSchedule, type Schedule, ScheduleError } from "./schedule.js";

/** More missed runs than this are reported; the latest is started all the same. */
const manyMisses = 100;
/** A look right at the time could come a little early. */
const slackMs = 100;

export interface Complaint {
  readonly reason: string;
  readonly message: string;
}

export type CronPlan =
  | { readonly type: "broken"; readonly complaint: Complaint }
  | { readonly type: "wait"; readonly untilMs: number | undefined; readonly complaint?: Complaint }
  | {
      readonly type: "start";
      readonly at: number;
      readonly nextMs: number;
      readonly complaint?: Complaint;
    };

export function scheduleOf({ spec }: CronJob): Schedule {
  return parseSchedule(spec?.schedule ?? "", spec?.timeZone);
}

/** `now` and all times in milliseconds. A run that is late beyond its starting deadline is missed for good. */
export function planCronJob(cronJob: CronJob, now: number): CronPlan {
  const { metadata, spec } = cronJob;
  let schedule: Schedule;
  try {
    schedule = scheduleOf(cronJob);
  } catch (error) {
    return { type: "broken", complaint: brokenSchedule(cronJob, error) };
  }
  if (spec?.suspend === true || metadata.deletionTimestamp !== undefined) return { type: "wait", untilMs: undefined };
  const next = schedule.next(now);
  if (next === undefined) return { type: "broken", complaint: neverDue(cronJob) };
  const nextMs = delayUntil(next, now);
  const { at, missed } = latestDue(cronJob, schedule, now);
  if (at === undefined) return { type: "wait", untilMs: nextMs };
  const complaint = missed > manyMisses ? tooManyMissed : undefined;
  const deadlineMs = (spec?.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  if (at + deadlineMs < now) {
    const message = `Missed scheduled time to start a job: ${new Date(at).toUTCString().replace("GMT", "+0000")}`;
    return { type: "wait", untilMs: nextMs, complaint: { reason: "MissSchedule", message } };
  }
  return { type: "start", at, nextMs, ...(complaint === undefined ? {} : { complaint }) };
}

const delayUntil = (at: number, now: number): number => at - now + slackMs;

function brokenSchedule({ spec }: CronJob, error: unknown): Complaint {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof ScheduleError && text.startsWith("unknown time zone")) {
    return { reason: "UnknownTimeZone", message: `invalid timeZone: "${spec?.timeZone}": ${text}` };
  }
  return { reason: "UnparseableSchedule", message: `unparseable schedule: "${spec?.schedule}" : ${text}` };
}

/** A date that no calendar has, such as 31 February. */
const neverDue = ({ spec }: CronJob): Complaint => ({
  reason: "InvalidSchedule",
  message: `invalid schedule: ${spec?.schedule} : time difference between two schedules is less than 1 second`,
});

const tooManyMissed: Complaint = {
  reason: "TooManyMissedTimes",
  message: "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
};

/** The last time that is due and has not been run; a long gap is jumped over by the length of one interval. */
function latestDue(
  { metadata, spec, status }: CronJob,
  schedule: Schedule,
  now: number,
): { at: number | undefined; missed: number } {
  const from = status?.lastScheduleTime ?? metadata.creationTimestamp;
  let earliest = from === undefined ? now : parseTime(from);
  if (spec?.startingDeadlineSeconds !== undefined)
    earliest = Math.max(earliest, now - spec.startingDeadlineSeconds * 1000);
  const first = schedule.next(earliest);
  if (first === undefined || first > now) return { at: undefined, missed: 0 };
  const second = schedule.next(first);
  if (second === undefined || second > now) return { at: first, missed: 1 };
  const interval = second - first;
  const skipped = Math.max(0, Math.floor((now - second) / interval) - 1);
  let at = first;
  // one interval short of the estimate, then step by step: intervals need not be equal
  let probe = skipped > 1 ? Math.max(first, second + (skipped - 1) * interval - 1) : first;
  for (let next = schedule.next(probe); next !== undefined && next <= now; next = schedule.next(probe)) {
    at = next;
    probe = next;
  }
  return { at, missed: skipped + 2 };
}

/** The minute is in the name, so that two controllers, or two tries, can only make one Job of it. */
export const jobNameOf = ({ metadata }: CronJob, at: number): string => `${metadata.name}-${Math.floor(at / 60_000)}`;

/** Finished Jobs beyond the limits, oldest first. */
export function jobsToForget({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const startOf = ({ status, metadata }: Job): number => {
    const time = status?.startTime ?? metadata.creationTimestamp;
    return time === undefined ? 0 : parseTime(time);
  };
  const beyond = (type: "Complete" | "Failed", limit: number | undefined): readonly Job[] => {
    if (limit === undefined) return [];
    const ended = jobs.filter((job) => endOf(job) === type).toSorted((a, b) => startOf(a) - startOf(b));
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...beyond("Complete", spec?.successfulJobsHistoryLimit), ...beyond("Failed", spec?.failedJobsHistoryLimit)];
}

export function endOf({ status }: Job): "Complete" | "Failed" | undefined {
  const ended = status?.conditions?.find(
    ({ type, status: value }) => (type === "Complete" || type === "Failed") && value === "True",
  );
  return ended?.type as "Complete" | "Failed" | undefined;
}
