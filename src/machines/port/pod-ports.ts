/** The ports of simulated pods: behind each declared one stands a small web server that says so. */
import { createServer } from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import type { Pod } from "../../api/index.js";
import type { ReadonlyStore } from "../../informer/index.js";

export class PodPorts {
  readonly #pods: ReadonlyStore<Pod>;

  constructor(pods: ReadonlyStore<Pod>) {
    this.#pods = pods;
  }

  /** A connection to a port of the pod; undefined if nothing listens there. */
  connect({ metadata, spec, status }: Pod, port: number): Duplex | undefined {
    const isOpen = (spec?.containers ?? []).some(
      ({ name, ports = [] }) =>
        ports.some(({ containerPort, protocol = "TCP" }) => containerPort === port && protocol === "TCP") &&
        status?.containerStatuses?.some((one) => one.name === name && one.state?.running !== undefined),
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
      request.resume();
      response.setHeader("content-type", "text/plain; charset=utf-8");
      response.end(request.method === "HEAD" ? undefined : text);
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
