import { expect, test } from "vitest";
import { CronJob, Job, Pod } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import { startControllers } from "./in-process.js";

test("a CronJob runs through a virtual day: every three hours, three successes kept", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:30:00Z") });
  await using cluster = await startControllers(["cronjob", "job"], { clock });
  const { client, events } = cluster;
  const namespace = "default";
  const pods = client.resource(Pod, { namespace });
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "report" }] } } as const;
  await client.resource(CronJob, { namespace }).create({
    metadata: { name: "report" },
    spec: { schedule: "0 */3 * * *", timeZone: "Europe/Berlin", jobTemplate: { spec: { template } } },
  });
  for (let minutes = 0; minutes < 24 * 60; minutes += 10) {
    await clock.pass(10 * 60_000);
    for (const { metadata, status } of (await pods.list({})).items) {
      if (status?.phase === "Pending")
        await pods.status.patch(metadata, { strategic: { status: { phase: "Succeeded" } } });
    }
  }
  const created = events.filter((event) => event.includes("SuccessfulCreate Created job"));
  expect(created).toHaveLength(8);
  const jobs = (await client.resource(Job, { namespace }).list({})).items;
  expect(jobs).toHaveLength(3);
  expect(jobs[0]?.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"]).toMatch(/:00:00\+01:00$/);
  const status = (await client.resource(CronJob, { namespace }).get("report")).status;
  expect(status?.lastScheduleTime).toBe("2026-01-01T23:00:00Z");
  expect(status?.active).toBeUndefined();
});
