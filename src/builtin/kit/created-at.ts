/** The age of an object, for orders by age. */
import { type KubeObject, parseTime } from "../../api/index.js";

/** Milliseconds since 1970; 0 for an object that the server has not seen. */
export const createdAt = ({ metadata: { creationTimestamp } }: KubeObject): number =>
  creationTimestamp === undefined ? 0 : parseTime(creationTimestamp);
