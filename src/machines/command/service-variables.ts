/** The variables by which a container finds services: takes the services, gives each one's address and ports as a kubelet names them. */
import type { Service } from "../../api/index.js";

/** Services without an address of their own have no variables. */
export function* serviceVariables(services: readonly Service[]): Iterable<readonly [name: string, value: string]> {
  for (const { metadata, spec } of services) {
    const { clusterIP = "", ports = [] } = spec ?? {};
    if (clusterIP === "" || clusterIP === "None") continue;
    const service = titleOf(metadata.name);
    const host = clusterIP.includes(":") ? `[${clusterIP}]` : clusterIP;
    yield [`${service}_SERVICE_HOST`, clusterIP];
    for (const [i, { name = "", port, protocol = "TCP" }] of ports.entries()) {
      const url = `${protocol.toLowerCase()}://${host}:${port}`;
      if (i === 0) {
        yield [`${service}_SERVICE_PORT`, `${port}`];
        yield [`${service}_PORT`, url];
      }
      if (name !== "") yield [`${service}_SERVICE_PORT_${titleOf(name)}`, `${port}`];
      const one = `${service}_PORT_${port}_${protocol}`;
      yield [one, url];
      yield [`${one}_PROTO`, protocol.toLowerCase()];
      yield [`${one}_PORT`, `${port}`];
      yield [`${one}_ADDR`, clusterIP];
    }
  }
}

const titleOf = (name: string): string => name.toUpperCase().replaceAll("-", "_");
