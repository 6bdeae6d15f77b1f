/** What a CronJob does now: takes it, its Jobs and the time, gives the run to start, or when to look again. Pure. */
import { messageOf } from "../../base/index.js";
import { type CronJob, type Job, parseTime } from "../../api/index.js";
import { isTimeZone, parseSchedule, type Schedule } from "./schedule.js";

/** More missed runs than this are reported; the latest is started all the same. */
const manyMisses = 100;
/** A look right at the time could come a little early. */
const slackMs = 100;

interface Complaint {
  readonly reason: string;
  readonly message: string;
}

export type CronPlan = {
  /** What people should know about it. */
  readonly complaints: readonly Complaint[];
} & (
  | { readonly type: "wait" /** Without it nothing is to come. */; readonly untilMs: number | undefined }
  | { readonly type: "start"; readonly at: number; readonly nextMs: number | undefined }
);

/** A zone within the schedule goes before the one beside it. */
export function scheduleOf({ spec }: CronJob): Schedule {
  return parseSchedule(spec?.schedule ?? "", spec?.timeZone);
}

const nothing = (...complaints: readonly Complaint[]): CronPlan => ({ type: "wait", untilMs: undefined, complaints });

/** `now` and all times in milliseconds. A run that is late beyond its starting deadline is missed for good. */
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

/** How long until it is due next, and a little longer; undefined if it never is. */
export function nextLookMs(cronJob: CronJob, schedule: Schedule, now: number): number | undefined {
  const due = latestDue(cronJob, schedule, { now, deadlineMs: undefined });
  const from = due?.at ?? (due?.missed === 0 ? due.earliest : now);
  const next = schedule.next(from);
  return next === undefined ? undefined : next - now + slackMs;
}

const unknownTimeZone = (zone: string): Complaint => ({
  reason: "UnknownTimeZone",
  message: `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`,
});

const zoneInSchedule = (schedule: string): Complaint => ({
  reason: "UnsupportedSchedule",
  message: `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`,
});

const unparseable = ({ spec }: CronJob, error: unknown): Complaint => ({
  reason: "UnparseableSchedule",
  message: `unparseable schedule: ${JSON.stringify(spec?.schedule)} : ${messageOf(error)}`,
});

/** Also of a date that no calendar has, such as 31 February. */
const tooDense = ({ spec }: CronJob): Complaint => ({
  reason: "InvalidSchedule",
  message: `invalid schedule: ${spec?.schedule} : time difference between two schedules is less than 1 second`,
});

const tooManyMissed: Complaint = {
  reason: "TooManyMissedTimes",
  message: "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
};

const missedFor = (at: number): Complaint => ({
  reason: "MissSchedule",
  message: `Missed scheduled time to start a job: ${new Date(at).toUTCString().replace("GMT", "+0000")}`,
});

interface Due {
  /** From here on it was looked for. */
  readonly earliest: number;
  /** The last time that is due and has not been run. */
  readonly at: number | undefined;
  /** How many are due, by the distance of the first two; none if there is at most one. */
  readonly missed: number;
}

interface DueOptions {
  readonly now: number;
  /** What is due for longer is not looked for. */
  readonly deadlineMs: number | undefined;
}

/** A long gap is jumped over by the distance of its first two times. undefined if those are no second apart, or never come. */
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

/** The minute is in the name, so that two controllers, or two tries, can only make one Job of it. */
export const jobNameOf = ({ metadata }: CronJob, at: number): string => `${metadata.name}-${Math.floor(at / 60_000)}`;

/** Later than any time. */
const never = Number.MAX_SAFE_INTEGER;

/** Finished Jobs beyond the limits, oldest first. */
export function jobsToForget({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const startOf = ({ status }: Job): number => (status?.startTime === undefined ? never : parseTime(status.startTime));
  const older = (a: Job, b: Job): number => startOf(a) - startOf(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
  const beyond = (type: "Complete" | "Failed", limit: number | undefined): readonly Job[] => {
    if (limit === undefined) return [];
    const ended = jobs.filter((job) => endOf(job) === type).toSorted(older);
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
