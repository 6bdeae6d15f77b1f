/**
 * The permitted differences between our answers and a real server's, each with its reason. docs/compatibility.md says
 * the same in words.
 */

import { advertised } from "../../../src/apiserver/bootstrap/own-service.js";

export interface KnownDifference {
  readonly step: RegExp;
  readonly why: string;
}

const withoutNetwork: readonly KnownDifference[] = [
  { step: /GET .*\/endpoint(?:s|slices)(?: |$)/, why: "without a network we have no address that others could reach" },
];

export const knownDifferences: readonly KnownDifference[] = [
  { step: /selfsubjectrulesreviews by/, why: "a real server's rules come in any order" },
  ...(advertised("127.0.0.1") === undefined ? withoutNetwork : []),
  { step: /configmaps\?continue=nonsense$/, why: "what Go's JSON parser says of bytes that are not JSON" },
  { step: /(GET|PATCH|PUT) .*flowschemas/, why: "a real server writes the status of flow schemas at some moment" },
  { step: /componentstatuses\/x/, why: "a real server names the resource in the singular, in this one error" },
  { step: /PUT .*\/jobs\/sample-jobs /, why: "a refused job template is shown as JSON, not as a Go struct" },
  {
    step: /widgets .*"name":"w22"|"apiVersion":"diff\.example\.com\/v2"/,
    why: "a value of the wrong type is named once, not once more by each part that looked at it",
  },
  { step: /^6 POST .*customresourcedefinitions /, why: "refused versions are shown as JSON, not as Go structs" },
  {
    step: /s-strict-2\?fieldValidation=Strict/,
    why: "the fields of a refused patch's result are quoted in another order",
  },
  { step: /w25\/scale .*\(dry run\)/, why: "a dry run of a custom kind's scale answers without the new number" },
  {
    step: /autoscaling\/v1\/.*autoscalers\/new .*as=Table/,
    why: "the older version of an autoscaler is shown from its own annotations",
  },
];
