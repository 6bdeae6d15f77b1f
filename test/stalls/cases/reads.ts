/** Lists, selectors, paths and queries. For the stall guard. */
import { type Case, configMap, many, maps, post } from "../requests.js";

export const lists: readonly Case[] = [
  ...[
    "application/json",
    "application/yaml",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/vnd.kubernetes.protobuf",
  ].map(
    (accept): Case => ({
      name: `list as ${accept}`,
      before: (n) => many(n, (i) => post(maps, { ...configMap(), metadata: { name: `m${i}` } })),
      request: () => ({ method: "GET", path: maps, accept }),
    }),
  ),
  {
    name: "label selector",
    request: (n) => ({ method: "GET", path: `${maps}?labelSelector=${many(n, (i) => `k${i}`).join(",")}` }),
  },
  {
    name: "label selector of values",
    request: (n) => ({ method: "GET", path: `${maps}?labelSelector=a+in+(${many(n, (i) => `k${i}`).join(",")})` }),
  },
  {
    name: "field selector",
    request: (n) => ({
      method: "GET",
      path: `${maps}?fieldSelector=${many(n, (i) => `metadata.name=k${i}`).join(",")}`,
    }),
  },
  { name: "parameters", request: (n) => ({ method: "GET", path: `${maps}?${many(n, (i) => `k${i}=v`).join("&")}` }) },
  {
    name: "dryRun values",
    request: (n) => ({ ...post(`${maps}?${many(n, () => "dryRun=x").join("&")}`, configMap()) }),
  },
  { name: "steps of a path", request: (n) => ({ method: "GET", path: `/api/v1/namespaces${"/a".repeat(n)}` }) },
  {
    name: "accepted types",
    request: (n) => ({ method: "GET", path: maps, accept: many(n, (i) => `application/x${i}`).join(",") }),
  },
  { name: "continue", request: (n) => ({ method: "GET", path: `${maps}?limit=1&continue=${"e".repeat(n)}` }) },
  {
    name: "field manager",
    request: (n) => post(`${maps}?fieldManager=${"%01".repeat(Math.min(n, 120))}`, configMap()),
  },
];
