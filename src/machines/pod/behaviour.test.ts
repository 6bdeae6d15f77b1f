import { describe, expect, test } from "vitest";
import type { Container, LifecycleHandler, Pod } from "../../api/index.js";
import { annotationProblems, behaviourOf } from "./behaviour.js";

const pod = (annotations: Readonly<Record<string, string>>): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", annotations },
  spec: { initContainers: [{ name: "setup" }], containers: [{ name: "web" }, { name: "log" }] },
});

const of = (annotations: Readonly<Record<string, string>>, name: string): ReturnType<typeof behaviourOf> => {
  const subject = pod(annotations);
  const all = [...(subject.spec?.initContainers ?? []), ...(subject.spec?.containers ?? [])];
  const container = all.find((each) => each.name === name);
  if (container === undefined) throw new Error(`no container ${name}`);
  return behaviourOf(subject, container, { rules: [], speed: 1 });
};

describe("annotations", () => {
  test("concern all main containers, or with a name one", () => {
    const annotations = { "coxswain.dev/run-for": "1m", "coxswain.dev/run-for.log": "5s" };
    expect([of(annotations, "web").runForMs, of(annotations, "log").runForMs]).toEqual([60_000, 5_000]);
  });

  test("concern an init container only by its name: it ends at once with 0", () => {
    const annotations = { "coxswain.dev/run-for": "1m", "coxswain.dev/exit-code": "7" };
    expect(of(annotations, "setup")).toMatchObject({ runForMs: 0, exitCode: 0 });
    expect(of({ "coxswain.dev/exit-code.setup": "7" }, "setup")).toMatchObject({ runForMs: 0, exitCode: 7 });
  });

  test("with an exit code alone let the container run a second", () => {
    expect(of({ "coxswain.dev/exit-code": "7" }, "web")).toMatchObject({ runForMs: 1_000, exitCode: 7 });
  });

  test("that make no sense count as absent and are told", () => {
    const annotations = {
      "coxswain.dev/run-for": "soon",
      "coxswain.dev/exit-code": "256",
      "coxswain.dev/ready.cache": "false",
      "coxswain.dev/explode": "yes",
      "example.com/run-for": "?",
    };
    expect(of(annotations, "web")).toMatchObject({ runForMs: Number.POSITIVE_INFINITY, exitCode: 0 });
    expect(annotationProblems(pod(annotations))).toEqual([
      'annotation coxswain.dev/run-for: cannot read "soon"',
      'annotation coxswain.dev/exit-code: cannot read "256"',
      "annotation coxswain.dev/ready.cache: no such container",
      "annotation coxswain.dev/explode: simulated nodes know no such setting",
    ]);
  });
});

test("an image whose tag denies it cannot be pulled, unless an annotation or a rule says otherwise", () => {
  const pullOf = (image: string, annotations = {}): string =>
    behaviourOf(pod(annotations), { name: "web", image }, { rules: [], speed: 1 }).imagePull;
  expect(["foo:non-existent", "host:5000/web:404"].map((image) => pullOf(image))).toEqual(["fail", "fail"]);
  expect(["foo", "host:404/web", "foo:1.404", ""].map((image) => pullOf(image))).toEqual(["ok", "ok", "ok", "ok"]);
  expect(pullOf("web:404", { "coxswain.dev/image-pull": "ok" })).toBe("ok");
});

test("a hook before the stop keeps the container for its time", () => {
  const stopOf = (preStop: LifecycleHandler, followCommands: boolean, annotations = {}): number => {
    const container = { name: "web", command: ["sleep", "9"], lifecycle: { preStop } };
    return behaviourOf(pod(annotations), container, { rules: [], speed: 2, followCommands }).stopAfterMs;
  };
  expect([stopOf({ sleep: { seconds: 4 } }, false), stopOf({ sleep: { seconds: 0 } }, true)]).toEqual([2_000, 0]);
  expect(stopOf({ sleep: { seconds: 4 } }, false, { "coxswain.dev/stop-after": "1s" })).toBe(500);
  const exec = { command: ["sh", "-c", "sleep 6"] };
  expect([stopOf({ exec }, true), stopOf({ exec }, false)]).toEqual([3_000, 0]);
  expect(stopOf({ exec: { command: ["nginx", "-s", "quit"] } }, true)).toBe(0);
});

test("rules go before annotations, the first before the others", () => {
  const subject = pod({ "coxswain.dev/run-for": "1m", "coxswain.dev/exit-code": "1" });
  const rules = [() => ({ exitCode: 2 }), () => undefined, () => ({ exitCode: 3, readyAfterMs: 500 })];
  const web = subject.spec?.containers[0];
  expect(web && behaviourOf(subject, web, { rules, speed: 2 })).toMatchObject({
    exitCode: 2,
    readyAfterMs: 250,
    runForMs: 30_000,
  });
});

describe("probes", () => {
  const probed = (container: Partial<Container>, annotations: Readonly<Record<string, string>> = {}) => {
    const subject = pod(annotations);
    return behaviourOf(subject, { name: "web", ...container }, { rules: [], speed: 10, followCommands: true });
  };

  test("count as passed after their delay; readiness not before the start", () => {
    expect(probed({ readinessProbe: { initialDelaySeconds: 30 } })).toMatchObject({
      startedAfterMs: 0,
      readyAfterMs: 3_000,
      ready: true,
    });
    const startupProbe = { initialDelaySeconds: 20 };
    expect(probed({ startupProbe })).toMatchObject({ startedAfterMs: 2_000, readyAfterMs: 2_000 });
    const readinessProbe = { initialDelaySeconds: 5, successThreshold: 3, periodSeconds: 10 };
    expect(probed({ startupProbe, readinessProbe })).toMatchObject({ startedAfterMs: 2_000, readyAfterMs: 2_500 });
  });

  test("and commands are ignored unless they are to be followed", () => {
    const command = ["sh", "-c", "sleep 5; exit 3"];
    const fails = { command, readinessProbe: { exec: { command: ["/bin/false"] } } };
    const ignored = behaviourOf(pod({}), { name: "web", ...fails }, { rules: [], speed: 1 });
    expect(ignored).toMatchObject({ ready: true, runForMs: Number.POSITIVE_INFINITY });
    expect(probed(fails)).toMatchObject({ ready: false, runForMs: 500, exitCode: 3 });
  });

  test("whose command fails keep the container from being ready, unless an annotation says otherwise", () => {
    const fails = { readinessProbe: { exec: { command: ["/bin/false"] } } };
    expect(probed(fails).ready).toBe(false);
    expect(probed(fails, { "coxswain.dev/ready": "true" }).ready).toBe(true);
    expect(probed({ readinessProbe: { exec: { command: ["cat", "/tmp/ok"] } } }).ready).toBe(true);
  });
});

test("a followed command leaves a termination message: its file, or its log if it fails and that is asked for", () => {
  const left = (script: string, container: Partial<Container> = {}): string | undefined => {
    const subject = { name: "web", command: ["sh", "-c", script], ...container };
    return behaviourOf(pod({}), subject, { rules: [], speed: 1, followCommands: true }).terminationMessage;
  };
  expect(left("echo -n OK > /dev/termination-log")).toBe("OK");
  expect(left("echo OK > /run/last", { terminationMessagePath: "/run/last" })).toBe("OK\n");
  expect(left("echo FAILED; exit 1")).toBeUndefined();
  const fromLog = { terminationMessagePolicy: "FallbackToLogsOnError" } as const;
  expect(left("echo -n FAILED; exit 1", fromLog)).toBe("FAILED");
  expect(left("echo FINE", fromLog)).toBeUndefined();
  expect(left("echo FAILED; echo -n OK > /dev/termination-log; exit 1", fromLog)).toBe("OK");
});
