/** The next step of a CronJob: takes the CronJob and the time, gives the run to start, or the time of the next sync. Pure. */
import { messageOf } from "../../base/index.js";
import { type CronJob, type Job, parseTime } from "../../api/index.js";
import { isTimeZone } from "../../api/values/cron.js";
import { endOf } from "../job/pods.js";
import { parseSchedule, type Schedule } from "./schedule.js";
import { byName } from "../../api/meta/key.js";

/** Above this number of missed runs a warning is recorded; the latest run is started all the same. */
const manyMisses = 100;
/** Added to each wait, because a timer may fire slightly early. */
const slackMs = 100;

interface Complaint {
  readonly reason: string;
  readonly message: string;
}

export type CronPlan = {
  /** Problems to record as events on the CronJob. */
  readonly complaints: readonly Complaint[];
} & (
  | { readonly type: "wait" /** Undefined if nothing will ever be due. */; readonly untilMs: number | undefined }
  | { readonly type: "start"; readonly at: number; readonly nextMs: number | undefined }
);

/** A time zone in the schedule's text has precedence over `spec.timeZone`. */
export function scheduleOf({ spec }: CronJob): Schedule {
  return parseSchedule(spec?.schedule ?? "", spec?.timeZone);
}

const nothing = (...complaints: readonly Complaint[]): CronPlan => ({ type: "wait", untilMs: undefined, complaints });

/** `now` and all times are in milliseconds. A run that is later than its starting deadline is skipped for good. */
export function planCronJob(cronJob: CronJob, now: number): CronPlan {
  const { metadata, spec } = cronJob;
  if (metadata.deletionTimestamp !== undefined) return nothing();
  if (spec?.timeZone !== undefined && !isTimeZone(spec.timeZone)) return nothing(unknownTimeZone(spec.timeZone));
  if (spec?.suspend === true) return nothing();
  const complaints = spec?.schedule.includes("TZ") ? [zoneInSchedule(spec.schedule)] : [];
  let schedule: Schedule;
  try {
    schedule = scheduleOf(cronJob);
  } catch (error) {
    return nothing(...complaints, unparseable(cronJob, error));
  }
  const deadlineMs = spec?.startingDeadlineSeconds === undefined ? undefined : spec.startingDeadlineSeconds * 1000;
  const due = latestDue(cronJob, schedule, { now, deadlineMs });
  if (due === undefined) return nothing(...complaints, tooDense(cronJob));
  const untilMs = nextLookMs(cronJob, schedule, now);
  const { at, missed } = due;
  if (at === undefined) return { type: "wait", untilMs, complaints };
  if (missed > manyMisses) complaints.push(tooManyMissed);
  if (deadlineMs !== undefined && at + deadlineMs < now) {
    return { type: "wait", untilMs, complaints: [...complaints, missedFor(at)] };
  }
  return { type: "start", at, nextMs: untilMs, complaints };
}

/** Milliseconds until the next run is due, plus a small margin; undefined if none ever is. */
export function nextLookMs(cronJob: CronJob, schedule: Schedule, now: number): number | undefined {
  const due = latestDue(cronJob, schedule, { now, deadlineMs: undefined });
  const from = due?.at ?? (due?.missed === 0 ? due.earliest : now);
  const next = schedule.next(from);
  return next === undefined ? undefined : next - now + slackMs;
}

const complaint = (reason: string, message: string): Complaint => ({ reason, message });

const unknownTimeZone = (zone: string): Complaint =>
  complaint("UnknownTimeZone", `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`);

const zoneInSchedule = (schedule: string): Complaint =>
  complaint(
    "UnsupportedSchedule",
    `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`,
  );

const unparseable = ({ spec }: CronJob, error: unknown): Complaint =>
  complaint("UnparseableSchedule", `unparseable schedule: ${JSON.stringify(spec?.schedule)} : ${messageOf(error)}`);

/** Also reported for a date that does not exist in any year, such as 31 February. */
const tooDense = ({ spec }: CronJob): Complaint =>
  complaint(
    "InvalidSchedule",
    `invalid schedule: ${spec?.schedule} : time difference between two schedules is less than 1 second`,
  );

const tooManyMissed = complaint(
  "TooManyMissedTimes",
  "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
);

const missedFor = (at: number): Complaint => {
  const time = new Date(at).toUTCString().replace("GMT", "+0000");
  return complaint("MissSchedule", `Missed scheduled time to start a job: ${time}`);
};

interface Due {
  /** The start of the interval in which due runs are looked for. */
  readonly earliest: number;
  /** The latest due time that has not been run. */
  readonly at: number | undefined;
  /** An estimate of the number of due runs, from the distance between the first two; 0 if at most one is due. */
  readonly missed: number;
}

interface DueOptions {
  readonly now: number;
  /** Runs that have been due for longer than this are ignored. */
  readonly deadlineMs: number | undefined;
}

/**
 * Jumps over a long gap by the distance of its first two times. Undefined if they are less than a second apart, or
 * never come.
 */
function latestDue(
  { metadata, status }: CronJob,
  schedule: Schedule,
  { now, deadlineMs }: DueOptions,
): Due | undefined {
  const from = status?.lastScheduleTime ?? metadata.creationTimestamp;
  const begun = from === undefined ? now : parseTime(from);
  const earliest = deadlineMs === undefined ? begun : Math.max(begun, now - deadlineMs);
  const first = schedule.next(earliest);
  if (first === undefined) return undefined;
  if (now < first) return { earliest, at: undefined, missed: 0 };
  const second = schedule.next(first);
  if (second !== undefined && now < second) return { earliest, at: first, missed: 0 };
  const intervalMs = second === undefined ? 0 : Math.round((second - first) / 1000) * 1000;
  if (intervalMs < 1000) return undefined;
  const missed = Math.floor((now - first) / intervalMs) + 1;
  let at: number | undefined;
  // one interval short of the estimate, then step by step: intervals need not be equal
  let next = schedule.next(first + (missed - 2) * intervalMs);
  for (; next !== undefined && next <= now; next = schedule.next(next)) at = next;
  return { earliest, at, missed };
}

/** The minute is part of the name, so that two controllers, or two attempts, can make only one Job for it. */
export const jobNameOf = ({ metadata }: CronJob, at: number): string => `${metadata.name}-${Math.floor(at / 60_000)}`;

/** Later than any real time. */
const never = Number.MAX_SAFE_INTEGER;

/** Finished Jobs beyond the limits, oldest first. */
export function jobsToForget({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const startOf = ({ status }: Job): number => (status?.startTime === undefined ? never : parseTime(status.startTime));
  const older = (a: Job, b: Job): number => startOf(a) - startOf(b) || byName(a, b);
  const beyond = (type: "Complete" | "Failed", limit: number | undefined): readonly Job[] => {
    if (limit === undefined) return [];
    const ended = jobs.filter((job) => endOf(job) === type).toSorted(older);
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...beyond("Complete", spec?.successfulJobsHistoryLimit), ...beyond("Failed", spec?.failedJobsHistoryLimit)];
}
