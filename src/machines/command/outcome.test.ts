import { describe, expect, it } from "vitest";
import type { ConfigMap, Container, Pod, Secret } from "../../api/index.js";
import { outcomeOf } from "./outcome.js";

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "n", annotations: { "batch.kubernetes.io/job-completion-index": "3" } },
};

function outcome(
  container: Partial<Container>,
): { readonly slept: number; readonly exitCode: number | undefined } | undefined {
  const found = outcomeOf(pod, { name: "c", image: "busybox", ...container });
  return found && { slept: found.slept, exitCode: found.exitCode };
}

const configMap = (data: Readonly<Record<string, string>>): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "m" },
  data,
});

const secret = (texts: Readonly<Record<string, string>>): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s" },
  data: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")])),
});

const index = {
  name: "JOB_COMPLETION_INDEX",
  valueFrom: { fieldRef: { fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']" } },
};

const script = (text: string, env: Container["env"] = [index]): ReturnType<typeof outcome> =>
  outcome({ command: ["/bin/sh", "-c", text], env });

const ends = (exitCode: number, seconds = 0): object => ({ slept: seconds * 1_000, exitCode });
const never = { slept: Number.POSITIVE_INFINITY, exitCode: undefined };

describe("the outcome of a command", () => {
  it("is that of a plain command", () => {
    expect(outcome({ command: ["/bin/true"] })).toEqual(ends(0));
    expect(outcome({ command: ["false"] })).toEqual(ends(1));
    expect(outcome({ command: ["sleep", "1.5m"] })).toEqual(ends(0, 90));
    expect(outcome({ command: ["sleep"], args: ["$(FOR)"], env: [{ name: "FOR", value: "7" }] })).toEqual(ends(0, 7));
    expect(outcome({ command: ["sleep", "infinity"] })).toEqual(never);
    expect(outcome({ args: ["/bin/sh", "-c", "exit 42"] })).toEqual(ends(42));
    expect(outcome({ args: ["sleep", "3"] })).toEqual(ends(0, 3));
    expect(outcome({ args: ["false"] })).toBeUndefined();
  });

  it("is not known by the names of what every object inherits", () => {
    expect(script("[ 1 constructor 2 ]")).toBeUndefined();
    const env = [{ name: "FOR", valueFrom: { fieldRef: { fieldPath: "constructor" } } }];
    expect(outcome({ command: ["sleep", "$(FOR)"], env })).toBeUndefined();
  });

  it("is that of a script, step by step", () => {
    expect(script("exit 3")).toEqual(ends(3));
    expect(script("sleep 2; sleep 3 && exit 4")).toEqual(ends(4, 5));
    expect(script("false || sleep 1\n! true")).toEqual(ends(1, 1));
    expect(script("echo 'hello; exit 9' # exit 8\nexit 7")).toEqual(ends(7));
    expect(script("x=5; exit $x")).toEqual(ends(5));
    expect(script("x=5; x=6 sleep $x; exit $x")).toEqual(ends(5, 5));
  });

  it("takes branches by what the environment says", () => {
    const odd = "if [ $(expr ${JOB_COMPLETION_INDEX} % 2) -ne 0 ]; then\n exit 1\nelse\n exit 0\nfi";
    expect(script(odd)).toEqual(ends(1));
    expect(script('if [ "$JOB_COMPLETION_INDEX" = "3" ]; then sleep 1; elif true; then exit 9; fi')).toEqual(
      ends(0, 1),
    );
    expect(
      script("if [[ $JOB_COMPLETION_INDEX -gt 5 ]]; then exit 1; else exit $(( $JOB_COMPLETION_INDEX - 1 )); fi"),
    ).toEqual(ends(2));
  });

  it("sees loops that end and loops that do not", () => {
    expect(script("i=0; while [ $i -lt 3 ]; do sleep 1; i=$((i + 1)); done")).toBeUndefined();
    expect(script("i=0; while [ $i -lt 3 ]; do sleep 1; i=$(($i + 1)); done; exit 2")).toEqual(ends(2, 3));
    expect(script("while true; do sleep 1; done")).toEqual(never);
    expect(script("false && while true; do sleep 1; done; exit 6")).toEqual(ends(6));
  });

  it("is not guessed where something would have to be run", () => {
    expect(script("curl example.com && exit 1")).toBeUndefined();
    expect(script("cat < /etc/passwd")).toBeUndefined();
    expect(script("exit $UNKNOWN")).toBeUndefined();
    expect(script("if [ -r /data/foo ]; then exit 0; fi")).toBeUndefined();
    expect(script("exit $(date +%s)")).toBeUndefined();
    expect(script("while true; do")).toBeUndefined();
    expect(outcome({ command: ["nginx", "-g", "daemon off;"] })).toBeUndefined();
    expect(outcome({ command: ["sh"] })).toBeUndefined();
    expect(outcome({ args: ["serve"] })).toBeUndefined();
  });

  it("does not mind what stands in a branch that is not taken", () => {
    expect(script("false && curl example.com; exit 2")).toEqual(ends(2));
    expect(script("if true; then exit 5; else curl example.com; fi")).toEqual(ends(5));
  });

  it("comes with what the command writes, and when", () => {
    const text = "for=you; echo hello $for; sleep 2; echo 'and again'";
    expect(outcomeOf(pod, { name: "c", command: ["sh", "-c", text] })?.output).toEqual([
      { at: 0, text: "hello you" },
      { at: 2_000, text: "and again" },
    ]);
  });

  it("shows the environment, with what stands elsewhere if it can be looked up", () => {
    const container: Container = {
      name: "c",
      command: ["sh", "-c", "env"],
      envFrom: [{ prefix: "P_", configMapRef: { name: "m" } }],
      env: [
        { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "BOTH", value: "$(NAME);$$(NAME);$(MISSING)" },
        { name: "KEY", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
        { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
        { name: "ASKED", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "1Ki" } } },
      ],
      resources: { requests: { memory: "1Mi" } },
    };
    const sources = {
      configMap: (name: string) => (name === "m" ? configMap({ a: "1" }) : undefined),
      secret: (name: string) => (name === "s" ? secret({ k: "hidden" }) : undefined),
      services: () => [],
      allocatable: () => ({ cpu: "1500m" }),
    };
    const texts = (known?: typeof sources): unknown => outcomeOf(pod, container, known)?.output.map(({ text }) => text);
    expect(texts(sources)).toEqual([
      "P_a=1",
      "NAME=p",
      "BOTH=p;$(NAME);$(MISSING)",
      "KEY=hidden",
      "CPU=2",
      "ASKED=1024",
    ]);
    expect(texts()).toEqual(["NAME=p", "BOTH=p;$(NAME);$(MISSING)", "ASKED=1024"]);
  });

  it("is to run for ever for a pause image", () => {
    expect(outcome({ image: "registry.k8s.io/pause:3.10" })).toEqual(never);
    expect(outcome({ image: "registry.k8s.io/e2e-test-images/agnhost:2.56", args: ["pause"] })).toEqual(never);
  });

  it("comes with the files that a script writes, and shows them again", () => {
    const followed = (text: string): ReturnType<typeof outcomeOf> =>
      outcomeOf(pod, { name: "c", image: "busybox", command: ["sh", "-c", text] });
    const files = (text: string): unknown => Object.fromEntries(followed(text)?.files ?? []);
    expect(files("echo a > /tmp/x; echo -n b >> /tmp/x")).toEqual({ "/tmp/x": "a\nb" });
    expect(
      followed("echo a >/tmp/x; echo b 2>/tmp/e >/dev/null; cat /tmp/x; echo c 1>&2; echo d > /dev/stderr"),
    ).toEqual({
      slept: 0,
      exitCode: 0,
      output: ["a", "c", "d"].map((line) => ({ at: 0, text: line })),
      files: new Map([["/tmp/x", "a\n"]]),
    });
    for (const text of ["echo a > x", "echo a >", "if true; then echo a; fi > /tmp/x"])
      expect(followed(text)).toBeUndefined();
  });

  it("shows the names of hosts that the kubelet writes down", () => {
    const subject = {
      ...pod,
      spec: { containers: [], subdomain: "peers", hostAliases: [{ ip: "10.0.0.9", hostnames: ["foo", "bar"] }] },
      status: { podIPs: [{ ip: "10.244.0.7" }] },
    };
    const texts = (inPod: Pod): unknown =>
      outcomeOf(inPod, { name: "c", image: "busybox", command: ["cat", "/etc/hosts"] })?.output.map(({ text }) => text);
    expect(texts(subject)).toEqual([
      "# Kubernetes-managed hosts file.",
      "127.0.0.1\tlocalhost",
      "::1\tlocalhost ip6-localhost ip6-loopback",
      "10.244.0.7\tp.peers.n.svc.cluster.local\tp",
      "",
      "# Entries added by HostAliases.",
      "10.0.0.9\tfoo\tbar",
    ]);
    expect(texts({ ...subject, spec: { ...subject.spec, hostNetwork: true } })).toBeUndefined();
  });

  it("is that of a script which shows files of volumes, where they are known", () => {
    const container: Container = {
      name: "c",
      command: ["sh", "-c", "cat /etc/config/level; sleep 5"],
      volumeMounts: [{ name: "v", mountPath: "/etc/config" }],
    };
    const mounting: Pod = {
      ...pod,
      spec: { containers: [container], volumes: [{ name: "v", configMap: { name: "m" } }] },
    };
    const sources = {
      configMap: () => configMap({ level: "a\nb\n" }),
      secret: () => undefined,
      services: () => [],
      allocatable: () => ({}),
    };
    expect(outcomeOf(mounting, container, sources)).toEqual({
      slept: 5_000,
      exitCode: 0,
      output: [
        { at: 0, text: "a" },
        { at: 0, text: "b" },
      ],
    });
    expect(outcomeOf(mounting, container)).toEqual({ slept: 5_000, exitCode: 0, output: [] });
    expect(outcome({ command: ["cat", "/etc/passwd"] })).toBeUndefined();
    expect(outcome({ command: ["cat"] })).toBeUndefined();
  });
});
