/** decode: bytes to objects that behave like plain data and are decoded as late as possible. */
export { type LazyDecoder, lazyDecoder, type LazyDecoderOptions } from "./decoder.js";
export { estimatedBytes } from "./lazy-object.js";
