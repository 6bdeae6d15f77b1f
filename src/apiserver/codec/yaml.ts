/** The YAML codec: turns YAML 1.1, as kubectl's users write it, into JSON and handles that. */
import { parseExactJson } from "../../api/values/exact-json.js";
import { YamlError, type YamlDocument, writeYaml, yamlToJson } from "../../api/yaml/index.js";
import type { Codec } from "../contracts/codec.js";
import { decodeJson, jsonCodec, unrecognized } from "./json.js";

const yamlMediaType = "application/yaml";

export const yamlCodec: Codec = {
  mediaType: yamlMediaType,
  *decode(bytes, expected) {
    let document: YamlDocument;
    try {
      document = yamlToJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
    } catch (error) {
      if (error instanceof YamlError) throw unrecognized(bytes, expected, error.message);
      throw error;
    }
    yield;
    const { json, repeated } = document;
    const { object, problems } = yield* decodeJson(json, expected);
    return { object, problems: repeated.length === 0 ? problems : [...repeated, ...problems] };
  },
  encode: (object) => Buffer.from(writeYaml(object)),
  // a watch in YAML is a sequence of documents
  encodeWatchEvent: (type, object) => {
    const event = parseExactJson(Buffer.from(jsonCodec.encodeWatchEvent(type, object)).toString("utf8"));
    return Buffer.from(`---\n${writeYaml(event)}`);
  },
};
