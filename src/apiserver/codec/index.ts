/** codec: bytes of each media type to and from objects. Pure; to http. */
export { decodeJson, mayRepeatFields, jsonCodec, jsonMediaType, withReset } from "./json.js";
export { duplicateFields, JsonSyntaxError } from "./json-scan.js";
export { protobufCodec, protobufMediaType } from "./protobuf.js";
export { yamlCodec, yamlMediaType } from "./yaml.js";
