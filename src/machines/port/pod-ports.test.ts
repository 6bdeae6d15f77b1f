import { expect, test } from "vitest";
import type { Container, Pod } from "../../api/index.js";
import type { ReadonlyStore } from "../../informer/index.js";
import { patienceMs } from "../../../test/eventually.js";
import { PodPorts } from "./pod-ports.js";

const ports = new PodPorts({} as ReadonlyStore<Pod>);
const running = [{ name: "c", state: { running: {} } }];

const runs = (container: Partial<Container>): Pod =>
  ({
    metadata: { name: "web", namespace: "default" },
    spec: { containers: [{ name: "c", ...container }] },
    status: { containerStatuses: running },
  }) as unknown as Pod;

const answers = (pod: Pod, port: number): boolean => {
  const connection = ports.connect(pod, port);
  connection?.destroy();
  return connection !== undefined;
};

test.each<[string, Partial<Container>, boolean]>([
  ["is declared", { ports: [{ containerPort: 80 }] }, true],
  ["is declared for UDP", { ports: [{ containerPort: 80, protocol: "UDP" }] }, false],
  ["a readiness probe asks", { readinessProbe: { httpGet: { path: "/healthz", port: 80 } } }, true],
  ["a startup probe connects to", { startupProbe: { tcpSocket: { port: 80 } } }, true],
  ["a liveness probe asks", { livenessProbe: { grpc: { port: 80 } } }, true],
  ["a probe asks of another host", { readinessProbe: { httpGet: { port: 80, host: "example.com" } } }, false],
  ["nothing names", { readinessProbe: { exec: { command: ["true"] } } }, false],
])("a port that %s", (_what, container, isOpen) => {
  expect(answers(runs(container), 80)).toBe(isOpen);
  expect(answers({ ...runs(container), status: { containerStatuses: [] } }, 80)).toBe(false);
});

test("a sidecar has ports, too", () => {
  const { metadata, spec } = runs({});
  const initContainers = [{ name: "s", restartPolicy: "Always", ports: [{ containerPort: 80 }] }];
  const initContainerStatuses = [{ name: "s", state: { running: {} } }];
  const pod = { metadata, spec: { ...spec, initContainers }, status: { initContainerStatuses } } as unknown as Pod;
  expect(answers(pod, 80)).toBe(true);
});

const says = /^HTTP\/1.1 200 OK[^]*\r\n\r\nport 80 of simulated pod default\/web; no program runs in it\n$/;

test.each([
  ["asks for the head", "HEAD / HTTP/1.1\r\nhost: x\r\n\r\n", /^HTTP\/1.1 200 OK[^]*\r\n\r\n$/],
  ["has no body", "GET / HTTP/1.1\r\nhost: x\r\n\r\n", says],
  ["has a large body", `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 500000\r\n\r\n${"x".repeat(500_000)}`, says],
])("a client that ends its direction after a request that %s gets its answer", async (_what, request, answer) => {
  const connection = ports.connect(runs({ ports: [{ containerPort: 80 }] }), 80);
  connection?.end(request);
  let heard = "";
  for await (const chunk of connection ?? []) heard += String(chunk);
  expect(heard).toMatch(answer);
});

test("a connection is not closed before its last request has been read", async () => {
  const connection = ports.connect(runs({ ports: [{ containerPort: 80 }] }), 80);
  let [heard, isOver] = ["", false];
  connection?.on("data", (chunk: Buffer) => (heard += String(chunk))).on("end", () => (isOver = true));
  connection?.write("POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 4\r\n\r\nxx");
  await expect.poll(() => heard, { timeout: patienceMs }).toContain("port 80 of simulated pod");
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  connection?.write("xx");
  await expect.poll(() => isOver, { timeout: patienceMs }).toBe(true);
});
