/** The YAML codec: YAML 1.1 as kubectl's users write it, turned into JSON and then treated as that. */
import type { Tags } from "yaml";
import { newBadRequest } from "../../api/index.js";
import type { Codec } from "../http/providers.js";
import { yamlLibrary } from "./yaml-library.js";
import { decodeJson, jsonCodec } from "./json.js";

export const yamlMediaType = "application/yaml";

export const yamlCodec: Codec = {
  mediaType: yamlMediaType,
  decode(bytes, expected) {
    const repeated: string[] = [];
    const json = yamlToJson(Buffer.from(bytes).toString("utf8"), { repeated });
    const { object, problems } = decodeJson(json, expected);
    return { object, problems: repeated.length === 0 ? problems : [...repeated, ...problems] };
  },
  encode: (object) =>
    Buffer.from(
      yamlLibrary().stringify(object, {
        version: "1.1",
        sortMapEntries: true,
        aliasDuplicateObjects: false,
        indentSeq: false,
      }),
    ),
  // a watch in YAML is documents in a row
  encodeWatchEvent: (type, object) => {
    const event: unknown = JSON.parse(Buffer.from(jsonCodec.encodeWatchEvent(type, object)).toString("utf8"));
    return Buffer.from(`---\n${yamlLibrary().stringify(event, { version: "1.1", aliasDuplicateObjects: false })}`);
  },
};

export interface YamlOptions {
  /** Default true: a key that comes twice is an error. */
  readonly uniqueKeys?: boolean;
  /** Keys that come twice are told here instead, and the last one counts. */
  readonly repeated?: string[];
}

/** JSON text of one YAML document. Timestamps, binary and base-60 numbers stay the text that they are. */
export function yamlToJson(text: string, { uniqueKeys = true, repeated }: YamlOptions = {}): string {
  const document = yamlLibrary().parseDocument(text, {
    version: "1.1",
    merge: true,
    uniqueKeys,
    prettyErrors: false,
    customTags: (tags): Tags =>
      tags.filter(
        (tag) =>
          typeof tag === "string" || (!/timestamp|binary|omap|pairs|set$/.test(tag.tag) && tag.format !== "TIME"),
      ),
  });
  const isRepeated = ({ code }: { readonly code: string }): boolean => code === "DUPLICATE_KEY";
  for (const { pos } of repeated === undefined ? [] : document.errors.filter(isRepeated)) {
    const key = /^[\w./-]+/.exec(text.slice(pos[0]))?.[0] ?? "";
    repeated?.push(`line ${text.slice(0, pos[0]).split("\n").length}: key ${JSON.stringify(key)} already set in map`);
  }
  const problem = document.errors.find((error) => repeated === undefined || !isRepeated(error));
  if (problem) throw newBadRequest(`error converting YAML to JSON: yaml: ${problem.message}`);
  try {
    return JSON.stringify(document.toJS({ maxAliasCount: 100 })) ?? "null";
  } catch (error) {
    throw newBadRequest(`error converting YAML to JSON: yaml: ${(error as Error).message}`);
  }
}
