/**
 * Decides whether an object fits into the storage limit in upstream's stored form: protobuf if its kind has that form,
 * else JSON.
 */
import { builtInTypeOf } from "../../api/schema/index.js";
import type { Stored } from "../storage/contract.js";
import { fitsInProtobuf } from "./protobuf.js";

/**
 * JSON is the longer form, so protobuf is only tried if JSON is too long: until then the object, which would have to be
 * parsed, is not asked for.
 */
export function fitsIn(stored: Pick<Stored, "object" | "size">, limit: number): boolean {
  if (stored.size <= limit) return true;
  const { object } = stored;
  return builtInTypeOf(object.apiVersion, object.kind) !== undefined && fitsInProtobuf(object, limit);
}
