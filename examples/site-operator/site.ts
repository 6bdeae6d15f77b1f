/** A kind in two versions: v1alpha1 had one host as a text with its port, v1 has a list of hosts and a port. */
import { crdOf, type CustomResourceDefinition, defineResource, type ObjectOf, withVersions } from "coxswain";

const names = { group: "sites.example.com", kind: "Site", plural: "sites", scope: "Namespaced" } as const;

const status = { type: "object", properties: { readyReplicas: { type: "integer" } } } as const;

export const SiteV1alpha1 = defineResource({
  ...names,
  version: "v1alpha1",
  deprecated: true,
  schema: {
    type: "object",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        required: ["address"],
        properties: { address: { type: "string", pattern: "^[^:]+:[0-9]+$" }, replicas: { type: "integer" } },
      },
      status,
    },
  },
});

const SiteV1 = defineResource({
  ...names,
  version: "v1",
  printerColumns: [{ name: "Hosts", type: "string", jsonPath: ".spec.hosts" }],
  schema: {
    type: "object",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        required: ["hosts", "port"],
        properties: {
          hosts: { type: "array", minItems: 1, items: { type: "string" } },
          port: { type: "integer", minimum: 1, maximum: 65_535 },
          replicas: { type: "integer" },
        },
      },
      status,
    },
  },
});

/** The hosts after the first, for which v1alpha1 has no field. */
const moreHosts = "sites.example.com/more-hosts";

/** The hub is v1: the operator sees nothing else. */
export const Site = withVersions(SiteV1, {
  type: SiteV1alpha1,
  toHub({ metadata, spec: { address, ...spec }, ...rest }) {
    const { [moreHosts]: more, ...annotations } = metadata.annotations ?? {};
    const colon = address.lastIndexOf(":");
    const hosts = [address.slice(0, colon), ...(more === undefined ? [] : (JSON.parse(more) as string[]))];
    return {
      metadata: { ...labelsOf(metadata), ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
      spec: { ...spec, hosts, port: Number(address.slice(colon + 1)) },
      ...rest,
    };
  },
  fromHub({ metadata, spec: { hosts, port, ...spec }, ...rest }) {
    const [first = "", ...more] = hosts;
    const kept = more.length === 0 ? {} : { [moreHosts]: JSON.stringify(more) };
    const annotations = { ...metadata.annotations, ...kept };
    return {
      metadata: { ...labelsOf(metadata), ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
      spec: { ...spec, address: `${first}:${port}` },
      ...rest,
    };
  },
});
export type Site = ObjectOf<typeof Site>;

type Labelled = { readonly labels?: Readonly<Record<string, string>> };

const labelsOf = ({ labels }: Labelled): Labelled => (labels === undefined ? {} : { labels });

export const siteDefinition = (): CustomResourceDefinition => crdOf(Site);
