/** The Status with which binding and eviction report success. */
import type { HttpResponse } from "../../base/index.js";
import type { Status } from "../../api/index.js";
import { valueAnswer } from "../http/answers/answer.js";
import { codecOf, type Exchange, outputOf } from "../http/exchange.js";

export function createdAnswer(exchange: Exchange): HttpResponse {
  const output = outputOf(exchange, { custom: false, transforms: false });
  const status: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return valueAnswer(201, status, output, codecOf(exchange, output.mediaType));
}
