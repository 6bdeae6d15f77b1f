/** codec: bytes of each media type to and from objects. Pure; to http. */
export { protobufCodec, protobufMediaType } from "./protobuf.js";
