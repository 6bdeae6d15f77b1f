import { describe, expect, test } from "vitest";
import type { ContainerStatus, Pod } from "../api/index.js";
import { containerLog, type ContainerLogOptions } from "./container-log.js";

const startedAt = "2026-01-01T00:00:00Z";
const finishedAt = "2026-01-01T00:00:09Z";
const terminated = { exitCode: 3, reason: "Error", startedAt, finishedAt };

function pod(...states: readonly Pick<ContainerStatus, "state" | "lastState">[]): Pod {
  const names = ["web", "log"].slice(0, states.length);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default" },
    spec: { containers: names.map((name) => ({ name, image: "nginx" })) },
    status: {
      containerStatuses: states.map((state, i) => ({
        name: names[i] ?? "",
        ready: false,
        restartCount: 0,
        image: "nginx",
        imageID: "",
        ...state,
      })),
    },
  };
}

const started =
  "simulated container web of pod default/p started from image nginx; no program runs in it, so this is all it writes\n";

describe("the log of a simulated container", () => {
  test("says that it runs, and that it is simulated", () => {
    expect(containerLog(pod({ state: { running: { startedAt } } }))).toEqual({ text: started, ended: false });
  });

  test("has what a command writes that can be followed, as far as it has come", () => {
    const command = ["sh", "-c", "echo one; sleep 5; echo two"];
    const followCommands = true;
    const running = pod({ state: { running: { startedAt } } });
    const followed: Pod = { ...running, spec: { containers: [{ name: "web", command }] } };
    const seconds = (count: number): number => Date.parse(startedAt) + count * 1_000;
    expect(containerLog(followed, { now: seconds(4), followCommands }).text).toBe("one\n");
    expect(containerLog(followed, { now: seconds(5), followCommands }).text).toBe("one\ntwo\n");
    expect(containerLog(followed, { now: seconds(9), since: seconds(1), followCommands }).text).toBe("two\n");
  });

  test("says how it ended", () => {
    const log = { text: `${started}exited with code 3 (Error)\n`, ended: true };
    expect(containerLog(pod({ state: { terminated } }))).toEqual(log);
    expect(containerLog(pod({ state: { waiting: {} }, lastState: { terminated } }))).toEqual(log);
    expect(containerLog(pod({ state: { running: {} }, lastState: { terminated } }), { previous: true })).toEqual(log);
  });

  test.each([
    { options: { tailLines: 1 }, text: "exited with code 3 (Error)\n" },
    { options: { tailLines: 0 }, text: "" },
    { options: { since: Date.UTC(2026, 0, 1, 0, 0, 5) }, text: "exited with code 3 (Error)\n" },
    { options: { timestamps: true, tailLines: 1 }, text: `${finishedAt} exited with code 3 (Error)\n` },
  ])("is cut and dated as $options ask", ({ options, text }) => {
    expect(containerLog(pod({ state: { terminated } }), options).text).toBe(text);
  });

  const refused: readonly { asked: string; pod: Pod; options?: ContainerLogOptions; message: string }[] = [
    {
      asked: "has not started",
      pod: pod({ state: { waiting: { reason: "ContainerCreating" } } }),
      message: 'container "web" in pod "p" is waiting to start: ContainerCreating',
    },
    {
      asked: "has no image",
      pod: pod({ state: { waiting: { reason: "ImagePullBackOff" } } }),
      message: 'container "web" in pod "p" is waiting to start: trying and failing to pull image',
    },
    {
      asked: "has not run before",
      pod: pod({ state: { running: { startedAt } } }),
      options: { previous: true },
      message: 'previous terminated container "web" in pod "p" not found',
    },
    {
      asked: "is one of several",
      pod: pod({}, {}),
      message: "a container name must be specified for pod p, choose one of: [web log]",
    },
    {
      asked: "is not there",
      pod: pod({}),
      options: { container: "db" },
      message: "container db is not valid for pod p",
    },
  ];
  test.each(refused)("is refused if the container $asked", ({ pod: subject, options = {}, message }) => {
    expect(() => containerLog(subject, options)).toThrow(message);
  });
});
