/** openapi: documents about what is served, from the schema table and custom definitions. Pure: tables in, plain data out. */
export type { CustomSchema } from "./custom.js";
export { type OpenApiVersion, openApiV3, openApiV3Index, openApiV3Path } from "./v3.js";
