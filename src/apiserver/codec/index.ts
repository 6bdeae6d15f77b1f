/** codec: decodes and encodes objects in each media type. Pure. */
export { appliedCborToJson, cborCodec, cborMediaType, cborStream } from "./cbor/cbor.js";
export { decodeJson, mayRepeatFields, jsonCodec, unregistered, withReset } from "./json.js";
export { overflowingNumber, refusedNumber, refusedOperand } from "./number-literals.js";
export { duplicateFields, JsonSyntaxError } from "./json-scan.js";
export { protobufCodec, protobufMediaType } from "./protobuf.js";
export { yamlCodec } from "./yaml.js";
