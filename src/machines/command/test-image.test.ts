import { expect, test } from "vitest";
import type { Container, Pod } from "../../api/index.js";
import { outcomeOf } from "./outcome.js";

const image = "registry.k8s.io/e2e-test-images/agnhost:2.59";

const volumeMounts = [
  { name: "map", mountPath: "/etc/map" },
  { name: "memory", mountPath: "/memory" },
];

function follow(args: readonly string[], command: readonly string[] = []): ReturnType<typeof outcomeOf> {
  const container: Container = { name: "c", image, args, command, volumeMounts };
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "n" },
    spec: {
      containers: [container],
      volumes: [
        { name: "map", configMap: { name: "m", defaultMode: 0o400 } },
        { name: "memory", emptyDir: { medium: "Memory" } },
      ],
    },
  };
  const map = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "m" },
    data: { level: "3", two: "a\nb" },
  } as const;
  return outcomeOf(pod, container, {
    configMap: () => map,
    secret: () => undefined,
    services: () => [],
    allocatable: () => ({}),
  });
}

const texts = (outcome: ReturnType<typeof outcomeOf>): readonly string[] | undefined =>
  outcome?.output.map(({ text }) => text);

test("the image pauses unless told otherwise, and prints its arguments", () => {
  expect(follow([])).toMatchObject({ exitCode: undefined, output: [{ at: 0, text: "Paused" }] });
  const told = ["entrypoint-tester", "a", "b"];
  expect(texts(follow(told))).toEqual(["[/agnhost entrypoint-tester a b]"]);
  expect(texts(follow(told, ["/agnhost-2"]))).toEqual(["[/agnhost-2 entrypoint-tester a b]"]);
  expect(texts(follow(["etc-hosts"]))?.[0]).toBe("# Kubernetes-managed hosts file.");
  expect(follow(["netexec"])).toBeUndefined();
});

test("generated logs are spread over their time", () => {
  const outcome = follow(["logs-generator", "--log-lines-total", "4", "--run-duration=2s"]);
  expect(outcome).toMatchObject({ slept: 2_000, exitCode: 0 });
  expect(outcome?.output.map(({ at }) => at)).toEqual([0, 500, 1_000, 1_500]);
  expect(texts(outcome)?.[1]).toBe("1 GET /api/v1/namespaces/kube-system/pods/pod-1 200");
  expect(follow(["logs-generator"])).toBeUndefined();
});

test("files of volumes are shown with their modes, and missing ones fail", () => {
  expect(follow(["mounttest", "--file_content=/etc/map/two", "--file_mode=/etc/map/level"])).toEqual({
    slept: 0,
    exitCode: 0,
    output: ['mode of file "/etc/map/level": -r--------', 'content of file "/etc/map/two": a', "b"].map((text) => ({
      at: 0,
      text,
    })),
  });
  const missing = follow(["mounttest", "--file_content=/etc/map/none"]);
  expect(missing).toMatchObject({ exitCode: 1 });
  expect(texts(missing)).toEqual(['error reading file content for "/etc/map/none": no such file or directory']);
  expect(follow(["mounttest", "--file_owner=/etc/map/level"])).toBeUndefined();
});

test("new files in an empty folder can be read back", () => {
  const outcome = follow(["mounttest", "--fs_type=/memory", "--new_file_0660=/memory/new", "--file_perm=/memory/new"]);
  expect(outcome).toMatchObject({ slept: 0, exitCode: 0 });
  expect(texts(outcome)).toEqual([
    'mount type of "/memory": tmpfs',
    'content of file "/memory/new": mount-tester new file',
    'perms of file "/memory/new": -rw-rw----',
  ]);
  expect(texts(follow(["mounttest", "--file_mode=/memory"]))).toEqual(['mode of file "/memory": drwxrwxrwx']);
  expect(follow(["mounttest", "--new_file_0644=/etc/map/new"])).toBeUndefined();
});

test("a file is watched for the given time, or until it has the expected content", () => {
  const watched = follow(["mounttest", "--file_content_in_loop=/etc/map/level", "--retry_time=5"]);
  expect(watched).toMatchObject({ slept: 6_000, exitCode: 0 });
  expect(watched?.output.map(({ at, text }) => [at, text])).toEqual(
    [0, 2_000, 4_000].map((at) => [at, 'content of file "/etc/map/level": 3']),
  );
  const found = ["--new_file_0644=/memory/new", "--file_content_in_loop=/memory/new"];
  expect(follow(["mounttest", ...found])).toMatchObject({ slept: 0, exitCode: 0 });
});
