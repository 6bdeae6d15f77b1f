/** The parts of requests: some request lines, and words that mean something in them. */
import { requestInput } from "./server.js";

const fieldWords =
  "metadata name generateName namespace labels annotations finalizers ownerReferences uid resourceVersion generation creationTimestamp deletionTimestamp managedFields fieldsV1 spec status data binaryData containers image ports selector matchLabels matchExpressions template replicas type kind apiVersion v1 apps/v1 Pod List Status Deployment ConfigMap".split(
    " ",
  );
export const bodyWords: readonly string[] = [
  ...fieldWords,
  '"a":',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\u0000",
  "\\ud800",
  ...["toString", "valueOf", "__proto__", "constructor", "length"].map((name) => `"${name}":1`),
  "null",
  "f:spec",
  'k:{"name":"c"}',
];
export const verbWords: readonly string[] = [
  "GET ",
  "POST ",
  "PUT ",
  "PATCH ",
  "DELETE ",
  "HEAD ",
  "?dryRun=All",
  "?fieldValidation=Strict",
  "?fieldManager=m&force=true",
  "/status",
  "/scale",
  "/a",
  "?propagationPolicy=Orphan",
];

export const patchOf = (path: string, type: string, body: unknown): Uint8Array =>
  requestInput(`PATCH ${path}\ncontent-type: application/${type}\naccept: application/json`, JSON.stringify(body));

export const get = (path: string, headers = "accept: application/json"): Uint8Array =>
  requestInput(`GET ${path}\n${headers}`);
export const table = "accept: application/json;as=Table;v=v1;g=meta.k8s.io, application/json;q=0.5";
