import { expect, test } from "vitest";
import type { Service, ServicePort, ServiceSpec } from "../../api/index.js";
import { serviceVariables } from "./service-variables.js";

const service = (name: string, spec: ServiceSpec): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec,
});

test("a service with an address is found by variables; the first port has the short ones", () => {
  const ports: readonly ServicePort[] = [
    { name: "http-api", port: 80 },
    { name: "dns", port: 53, protocol: "UDP" },
  ];
  const found = serviceVariables([
    service("my-web", { clusterIP: "10.96.0.7", ports }),
    service("headless", { clusterIP: "None", ports }),
    service("elsewhere", { type: "ExternalName" }),
    service("six", { clusterIP: "fd00::7", ports: [{ port: 1 }] }),
  ]);
  expect(Object.fromEntries(found)).toEqual({
    MY_WEB_SERVICE_HOST: "10.96.0.7",
    MY_WEB_SERVICE_PORT: "80",
    MY_WEB_SERVICE_PORT_HTTP_API: "80",
    MY_WEB_SERVICE_PORT_DNS: "53",
    MY_WEB_PORT: "tcp://10.96.0.7:80",
    MY_WEB_PORT_80_TCP: "tcp://10.96.0.7:80",
    MY_WEB_PORT_80_TCP_PROTO: "tcp",
    MY_WEB_PORT_80_TCP_PORT: "80",
    MY_WEB_PORT_80_TCP_ADDR: "10.96.0.7",
    MY_WEB_PORT_53_UDP: "udp://10.96.0.7:53",
    MY_WEB_PORT_53_UDP_PROTO: "udp",
    MY_WEB_PORT_53_UDP_PORT: "53",
    MY_WEB_PORT_53_UDP_ADDR: "10.96.0.7",
    SIX_SERVICE_HOST: "fd00::7",
    SIX_SERVICE_PORT: "1",
    SIX_PORT: "tcp://[fd00::7]:1",
    SIX_PORT_1_TCP: "tcp://[fd00::7]:1",
    SIX_PORT_1_TCP_PROTO: "tcp",
    SIX_PORT_1_TCP_PORT: "1",
    SIX_PORT_1_TCP_ADDR: "fd00::7",
  });
});
