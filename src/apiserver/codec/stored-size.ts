/** How large an object is where a real server stores it: as protobuf if its kind has that form, else as JSON. To the store's limit. */
import { typeOf } from "../../api/schema/index.js";
import type { Stored } from "../storage/contract.js";
import { protobufCodec } from "./protobuf.js";

/** JSON is the longer form: only where that is too long, the other one is made. */
export function fitsIn({ object, bytes }: Pick<Stored, "object" | "bytes">, limit: number): boolean {
  if (bytes.length <= limit) return true;
  return typeOf(object.apiVersion, object.kind) !== undefined && protobufCodec.encode(object).length <= limit;
}
