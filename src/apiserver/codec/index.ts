/** codec: bytes of each media type to and from objects. Pure; to http. */
export { decodeJson, mayRepeatFields, jsonCodec, withReset } from "./json.js";
export { duplicateFields, JsonSyntaxError } from "./json-scan.js";
export { protobufCodec, protobufMediaType } from "./protobuf.js";
export { yamlCodec } from "./yaml.js";
