/** decode: takes request bodies and patched objects, gives objects in the form that a server written in Go gives them. */
export { decodeJson, decodeValue, emptyObject, normalize } from "./decode.js";
export { goForm } from "./go-form.js";
export { zeroObject } from "./go-zero.js";
export { type JsonText, JsonSyntaxError, readJson } from "./json-text.js";
