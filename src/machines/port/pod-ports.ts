/** The ports of simulated pods: behind each one that is known from the pod stands a small web server that says so. */
import { createServer } from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import type { Container, Pod } from "../../api/index.js";
import { containerStatus, runningContainers } from "../../api/pods/containers.js";
import type { ReadonlyStore } from "../../informer/index.js";

export class PodPorts {
  readonly #pods: ReadonlyStore<Pod>;

  constructor(pods: ReadonlyStore<Pod>) {
    this.#pods = pods;
  }

  /** A connection to a port of the pod; undefined if nothing listens there. */
  connect({ metadata, spec, status }: Pod, port: number): Duplex | undefined {
    const isOpen = runningContainers(spec).some(
      (container) => listens(container, port) && containerStatus(status, container.name)?.state?.running !== undefined,
    );
    if (!isOpen) return undefined;
    const [here, there] = duplexPair();
    for (const [one, other] of [
      [here, there],
      [there, here],
    ] as const) {
      one.once("close", () => other.destroy());
      one.on("error", () => {});
    }
    const text = `port ${port} of simulated pod ${metadata.namespace}/${metadata.name}; no program runs in it\n`;
    const server = createServer((request, response) => {
      const head = { "content-type": "text/plain; charset=utf-8", "content-length": Buffer.byteLength(text) };
      response.writeHead(200, head);
      if (request.method === "HEAD") response.flushHeaders();
      else response.write(text);
      // the exchange is over when the body is: a connection that is closed before would cut off a client that still sends
      request.resume().once("close", () => response.end());
    });
    server.emit("connection", there);
    return here;
  }

  /** A connection to an address of a pod; undefined if no simulated pod has it. */
  dial(host: string, port: number): Duplex | "refused" | undefined {
    const has = ({ spec, status }: Pod): boolean =>
      spec?.hostNetwork !== true && (status?.podIP === host || status?.podIPs?.some(({ ip }) => ip === host) === true);
    const pod = this.#pods.list().find(has);
    return pod && (this.connect(pod, port) ?? "refused");
  }
}

/** A container need not declare its ports; one that it does not declare is still known from a probe of it. */
function listens({ ports = [], startupProbe, readinessProbe, livenessProbe }: Container, port: number): boolean {
  if (ports.some(({ containerPort, protocol = "TCP" }) => containerPort === port && protocol === "TCP")) return true;
  return [startupProbe, readinessProbe, livenessProbe].some((probe) => {
    const { httpGet, tcpSocket, grpc } = probe ?? {};
    // a probe of another host says nothing of this one; a port's name is that of a declared one
    const own = [httpGet, tcpSocket].filter((asked) => !asked?.host);
    return [...own, grpc].some((asked) => asked?.port === port);
  });
}
