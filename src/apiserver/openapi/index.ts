/** openapi: the OpenAPI documents, from the schema table and custom definitions. Pure: tables in, plain data out. */
export { type OpenApiVersion, openApiV3, openApiV3Index, openApiV3Path } from "./v3.js";
export { openApiV3FromV2 } from "./from-v2.js";
export { type OpenApiV2, openApiV2 } from "./v2.js";
export { encodeOpenApiV2, openApiV2Protobuf } from "./v2-protobuf.js";
export { openApiPart, withParts } from "./parts.js";
