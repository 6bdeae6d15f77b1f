/** Takes the answer of a server that this one has asked; gives the words of Kubernetes' client about it. */
import type { Received } from "./send.js";

/** The error for an answer whose status is not 200, in the words of Kubernetes' client. */
export function clientWords({ status, headers, text }: Pick<Received, "status" | "headers" | "text">): string {
  const type = headers["content-type"] ?? "";
  if (status === 404) return "the server could not find the requested resource";
  if (status === 503) return "the server is currently unable to handle the request";
  const isText = type === "" || type.startsWith("text/");
  if (status >= 500)
    return `an error on the server (${JSON.stringify((isText && text.trim()) || "unknown")}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}
