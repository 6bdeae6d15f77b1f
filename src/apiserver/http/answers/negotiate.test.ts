import { expect, test } from "vitest";
import { StatusError } from "../../../api/index.js";
import { negotiate, type Offer } from "./negotiate.js";

const served = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const builtIn: Offer = { mediaTypes: served, served, transforms: true };
const custom: Offer = { mediaTypes: served.slice(0, 2), served, transforms: true, custom: true };

const meta = "v=v1;g=meta.k8s.io";

/** The media type and the transform, or the code of the refusal. */
function chosen(accept: string, offer: Offer): string | number {
  try {
    const { mediaType, transform } = negotiate(accept, offer, new URLSearchParams());
    return transform === "none" ? mediaType : `${mediaType} ${transform}`;
  } catch (error) {
    return (error as StatusError).status.code ?? 0;
  }
}

// answers of kube-apiserver 1.36
test.each([
  ["application/json;bogus=Table", "application/json", "application/json"],
  ["application/json;v=v1", 406, 406],
  ["application/json;g=meta.k8s.io", 406, 406],
  ["application/json;g=meta.k8s.io;v=v1,application/yaml", "application/yaml", "application/yaml"],
  ["application/json;as=", "application/json", "application/json"],
  [`application/json;AS=Table;${meta}`, 406, 406],
  ["application/json; as = Table ;v= v1;g =meta.k8s.io", "application/json Table", "application/json Table"],
  ["application/json;stream=watch", "application/json", "application/json"],
  ["application/json;stream=bogus", 406, 406],
  ["application/json;stream=", "application/json", "application/json"],
  ["application/JSON", 406, 406],
  [`*/*;as=Table;${meta}`, "application/json Table", "application/json Table"],
  [
    `application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;${meta}`,
    "application/vnd.kubernetes.protobuf PartialObjectMetadata",
    "application/vnd.kubernetes.protobuf PartialObjectMetadata",
  ],
  [`application/vnd.kubernetes.protobuf;as=Table;${meta}`, 406, 406],
  ["application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf", 406],
])("%s asks for %s of a built-in kind, and for %s of a custom one", (accept, ofBuiltIn, ofCustom) => {
  expect([chosen(accept, builtIn), chosen(accept, custom)]).toEqual([ofBuiltIn, ofCustom]);
});
