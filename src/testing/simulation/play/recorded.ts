/** A transport without faults whose writes are recorded: for the scenario and for other users. */
import type { HttpResponse, Transport } from "../../../base/index.js";
import type { Place } from "../fault.js";
import { type Actor, isWrite, type HistoryRecord, targetOf } from "../record.js";

export interface RecordedOptions {
  readonly actor: Actor;
  readonly record: HistoryRecord;
  readonly created?: (place: Place) => void;
}

export function recorded(inner: Transport, { actor, record, created }: RecordedOptions): Transport {
  return async (request, signal) => {
    const response = await inner(request, signal);
    const target = targetOf(request);
    if (!isWrite(target)) return response;
    const object = writtenIn(response);
    const revision = object?.metadata?.resourceVersion ?? "";
    record.add({
      type: "request",
      atMs: record.nowMs,
      actor,
      target,
      outcome: response.status,
      revision,
      changed: true,
    });
    if (response.status === 201 && target.subresource === "") {
      const place = placeIn(object);
      if (place !== undefined) created?.(place);
    }
    return response;
  };
}

interface Written {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly resourceVersion?: string };
}

function writtenIn({ body, value }: HttpResponse): Written | undefined {
  if (!(body instanceof Uint8Array)) return undefined;
  if (value !== undefined) return value() as Written;
  try {
    return JSON.parse(Buffer.from(body).toString()) as Written;
  } catch {
    return undefined;
  }
}

/** The place of the object in an answer; undefined if the answer is no object. */
export function placeIn(answer: unknown): Place | undefined {
  const { apiVersion, kind, metadata } = (answer ?? {}) as Written;
  if (apiVersion === undefined || kind === undefined || metadata?.name === undefined) return undefined;
  return { apiVersion, kind, namespace: metadata.namespace ?? "", name: metadata.name };
}
