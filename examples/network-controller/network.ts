/** The kind of this controller. By its schema the server refuses Networks that no fabric could build. */
import { crdOf, type CustomResourceDefinition, defineResource, type ObjectOf } from "coxswain/api";

export const Network = defineResource({
  group: "samplecrd.k8s.io",
  version: "v1",
  kind: "Network",
  plural: "networks",
  scope: "Namespaced",
  shortNames: ["net"],
  schema: {
    type: "object",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        required: ["cidr", "gateway"],
        properties: {
          cidr: {
            type: "string",
            maxLength: 18,
            "x-kubernetes-validations": [
              {
                rule: "isCIDR(self) && cidr(self).ip().family() == 4 && cidr(self).prefixLength() <= 30",
                message: "must be an IPv4 range of at least four addresses, such as 192.168.0.0/16",
              },
            ],
          },
          gateway: {
            type: "string",
            maxLength: 15,
            "x-kubernetes-validations": [
              { rule: "isIP(self) && ip(self).family() == 4", message: "must be an IPv4 address" },
            ],
          },
        },
        "x-kubernetes-validations": [
          {
            // a malformed range or address is reported by the rules above, once
            rule: "!isCIDR(self.cidr) || !isIP(self.gateway) || cidr(self.cidr).containsIP(self.gateway)",
            message: "the gateway must be inside the cidr",
          },
        ],
      },
      status: {
        type: "object",
        required: ["phase"],
        properties: {
          phase: { type: "string", enum: ["Ready", "Refused"] },
          vlan: { type: "integer" },
          usableAddresses: { type: "integer" },
          message: { type: "string" },
        },
      },
    },
  },
  printerColumns: [
    { name: "CIDR", type: "string", jsonPath: ".spec.cidr" },
    { name: "Gateway", type: "string", jsonPath: ".spec.gateway" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "VLAN", type: "integer", jsonPath: ".status.vlan" },
    { name: "Addresses", type: "integer", jsonPath: ".status.usableAddresses" },
  ],
});
export type Network = ObjectOf<typeof Network>;
export type NetworkStatus = NonNullable<Network["status"]>;

/** The server requires this annotation for groups under k8s.io. */
export function networkDefinition(): CustomResourceDefinition {
  const definition = crdOf(Network);
  const annotations = { "api-approved.kubernetes.io": "unapproved, experimental-only" };
  return { ...definition, metadata: { ...definition.metadata, annotations } };
}
