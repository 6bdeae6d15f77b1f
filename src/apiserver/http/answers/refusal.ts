/** Takes the error of a request; gives the answer that refuses it, once the writes that it depends on are on disk. */
import { newFailure, newInternalError, StatusError } from "../../../api/index.js";
import { type HttpRequest, type Logger, messageOf } from "../../../base/index.js";
import { AuthorizationFailure } from "../../auth/authorize.js";
import type { Answer } from "../../contracts/answer.js";
import { cborMediaType } from "../../codec/index.js";
import type { Codec } from "../../contracts/codec.js";
import { Rejected } from "../../flow/flow-control.js";
import { JournalError, type Store, TooLargeError } from "../../storage/contract.js";
import { statusAnswer, textAnswer } from "./answer.js";
import { negotiate, type Output } from "./negotiate.js";

interface Refused {
  readonly request: HttpRequest;
  readonly path: string;
  readonly query: URLSearchParams;
}

interface RefusalParts {
  readonly store: Store;
  readonly log: Logger;
  readonly codecs: readonly Codec[];
}

export async function refusalAnswer(
  { store, log, codecs }: RefusalParts,
  error: unknown,
  { request, path, query }: Refused,
): Promise<Answer> {
  if (error instanceof Rejected) return tooMany(error);
  if (error instanceof AuthorizationFailure) {
    log.warn("a request could not be authorized", { error });
    return textAnswer(500, sanitized(`Internal Server Error: ${JSON.stringify(request.path)}: ${error.message}\n`));
  }
  const refusal = asStatusError(await lasting(store, error), log, `${request.method} ${path}`);
  // upstream's router knows no CBOR, and gives no details
  const isOfRouter = refusal.status.details !== undefined && Object.keys(refusal.status.details).length === 0;
  const spoken = isOfRouter ? codecs.filter(({ mediaType }) => mediaType !== cborMediaType) : codecs;
  return statusAnswer(refusal, formOf(request, query, spoken));
}

/** The form of a refusal for this client; JSON if the requested form is not available. */
function formOf(
  request: HttpRequest,
  query: URLSearchParams,
  codecs: readonly Codec[],
): { readonly output: Output; readonly codec: Codec | undefined } | undefined {
  const [accept, agent] = [request.headers?.["accept"], request.headers?.["user-agent"]];
  const mediaTypes = codecs.map(({ mediaType }) => mediaType);
  try {
    const output = negotiate(
      String(accept ?? ""),
      { mediaTypes, served: mediaTypes, transforms: false, custom: true },
      query,
      String(agent ?? ""),
    );
    return { output, codec: codecs.find(({ mediaType }) => mediaType === output.mediaType) };
  } catch {
    return undefined;
  }
}

/**
 * A refusal may depend on a write that is not on disk yet (an object exists, is gone, has changed), and must still be
 * right after a crash: so it is given once the write is on disk. If the write fails, that error is given instead.
 */
async function lasting(store: Store, refusal: unknown): Promise<unknown> {
  const { revision } = store;
  if (revision <= store.settledRevision) return refusal;
  try {
    await store.settled(revision);
    return refusal;
  } catch (error) {
    return error;
  }
}

/** As upstream, so that no browser takes the text for a page. */
const sanitized = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** In the words of etcd, behind kube-apiserver. */
const tooLargeToStore = newFailure({ message: "etcdserver: request is too large", code: 500 });

function asStatusError(error: unknown, log: Logger, what: string): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof TooLargeError) return tooLargeToStore;
  if (error instanceof JournalError) {
    log.error("a write was refused by the disk", { what, error });
    return newInternalError(error.message);
  }
  log.error("a request failed", { what, error });
  return newInternalError(messageOf(error));
}

function tooMany({ message, afterSeconds }: Rejected): Answer {
  const { headers, ...answer } = textAnswer(429, `${message}\n`);
  return { ...answer, headers: { ...headers, "retry-after": String(afterSeconds) } };
}
