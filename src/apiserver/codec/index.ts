/** codec: decodes and encodes objects in each media type. Pure. */
export { decodeJson, mayRepeatFields, jsonCodec, withReset } from "./json.js";
export { duplicateFields, JsonSyntaxError } from "./json-scan.js";
export { protobufCodec, protobufMediaType } from "./protobuf.js";
export { yamlCodec } from "./yaml.js";
