/** Takes the values out of Secrets before they travel: names and sizes stay. */
import { own } from "../../base/members.js";

type Json = Readonly<Record<string, unknown>>;

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** The object as the page may show it. Of a Secret it has the names of the values and their sizes. */
export function withoutSecrets(object: Json): Json {
  if (object["kind"] !== "Secret") return object;
  const { data, stringData, metadata, ...rest } = object;
  const shown: Record<string, unknown> = { ...rest, metadata: withoutCopy(metadata as Json | undefined) };
  if (data !== undefined) shown["data"] = sizesOf(data, "base64");
  if (stringData !== undefined) shown["stringData"] = sizesOf(stringData, "utf8");
  return shown;
}

/** The annotation in which kubectl keeps the applied object has the values too. */
function withoutCopy(metadata: Json = {}): Json {
  const annotations = metadata["annotations"] as Json | undefined;
  if (annotations === undefined || own(annotations, lastApplied) === undefined) return metadata;
  return { ...metadata, annotations: { ...annotations, [lastApplied]: "‹not shown›" } };
}

function sizesOf(values: unknown, encoding: "base64" | "utf8"): Json {
  const named = Object.entries(Object(values) as Json);
  return Object.fromEntries(
    named.map(([name, value]) => [name, `‹${Buffer.byteLength(String(value), encoding)} bytes, not shown›`]),
  );
}
