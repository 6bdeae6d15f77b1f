/** Makes HTTP answers of objects, lists, tables and refusals. Uses the stored bytes whenever the client asks for plain JSON. */
import { exactJson } from "../../../api/values/exact-json.js";
import { defined } from "../../../base/defined.js";
import { apiVersionOf, type KubeObject, type Status, type StatusError } from "../../../api/index.js";
import { writeYamlList } from "../../../api/yaml/index.js";
import type { HttpResponse } from "../../../base/index.js";
import { yamlCodec } from "../../codec/index.js";
import type { Endpoint, View } from "../../contracts/endpoint.js";
import type { Listed } from "../../registry/read/list.js";
import { asLine } from "../../storage/line.js";
import type { Stored } from "../../storage/contract.js";
import { piecesOf, jsonListPieces } from "./list-pieces.js";
import { jsonList } from "./json-list.js";
import { json, type Output, yaml } from "./negotiate.js";
import type { Codec } from "../../contracts/codec.js";
import { checkPartial, partialObject, rowOf, tableHead, tableWithRows, type TableOptions } from "./transform.js";

const encoder = new TextEncoder();

export function jsonAnswer(status: number, value: unknown, pretty = false): HttpResponse {
  const text = `${exactJson(value, pretty ? "  " : "")}\n`;
  return { status, headers: { "content-type": json }, body: encoder.encode(text) };
}

export function textAnswer(status: number, text: string): HttpResponse {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body: encoder.encode(text),
  };
}

/** In the requested form, if it is available. */
export function statusAnswer(
  { status }: StatusError,
  form?: { readonly output: Output; readonly codec: Codec | undefined },
): HttpResponse {
  const retry = status.details?.retryAfterSeconds;
  const answer = form ? valueAnswer(status.code, status, form.output, form.codec) : jsonAnswer(status.code, status);
  return retry === undefined ? answer : { ...answer, headers: { ...answer.headers, "retry-after": String(retry) } };
}

/** A value that is not stored (a Status, a Scale, a review), in the requested form. */
export function valueAnswer(status: number, value: KubeObject | Status, output: Output, codec?: Codec): HttpResponse {
  const { mediaType } = output;
  if (mediaType === yaml) return yamlAnswer(status, value);
  if (mediaType !== json && codec !== undefined) {
    return { status, headers: { "content-type": mediaType }, body: codec.encode(value as KubeObject) };
  }
  return jsonAnswer(status, value, output.pretty);
}

function yamlAnswer(status: number, value: unknown): HttpResponse {
  return { status, headers: { "content-type": yaml }, body: yamlCodec.encode(value as KubeObject) };
}

export interface Shown {
  readonly endpoint: Endpoint;
  readonly output: Output;
  readonly codec: Codec | undefined;
  readonly table: TableOptions;
}

export function objectAnswer(status: number, view: View, { endpoint, output, codec, table }: Shown): HttpResponse {
  switch (output.transform) {
    case "Table":
      return valueAnswer(status, tableWithRows(endpoint, [view], { ...table, metadata: tableMeta(view) }), output);
    case "PartialObjectMetadata":
      checkPartial(output, endpoint, false);
      return valueAnswer(status, partialObject(view.object, output.metaVersion), output, codec);
    default:
      if (output.mediaType !== json || output.pretty) return valueAnswer(status, view.object, output, codec);
      return { status, headers: { "content-type": json }, body: asLine(view.bytes), value: () => view.object };
  }
}

function tableMeta({ object }: View): { readonly resourceVersion: string } {
  return { resourceVersion: object.metadata.resourceVersion ?? "" };
}

export function listAnswer(listed: Listed, { endpoint, output, codec, table }: Shown): HttpResponse {
  const metadata = defined({
    resourceVersion: String(listed.revision),
    continue: listed.continue,
    remainingItemCount: listed.remaining,
  });
  if (output.transform === "Table") {
    const { compare } = endpoint.table;
    if (isLong(listed, output) && compare === undefined) {
      const row = (stored: Stored): object => rowOf(endpoint.table, endpoint.view(stored).object, table);
      const rows = { name: "rows", items: mapped(listed.items, row) };
      return inPieces(tableHead(endpoint.table, { ...table, metadata }), rows, output);
    }
    const views = listed.items.map((stored) => endpoint.view(stored));
    return valueAnswer(200, tableWithRows(endpoint, views, { ...table, metadata }), output);
  }
  const { served } = endpoint;
  const objectOf = (stored: Stored): KubeObject => endpoint.view(stored).object;
  if (output.transform === "PartialObjectMetadata") {
    checkPartial(output, endpoint, true);
    const head = { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${output.metaVersion}`, metadata };
    const show = (stored: Stored): KubeObject => partialObject(objectOf(stored));
    return encodedList(head, listed, { output, codec, whole: show, show, none: null });
  }
  const head = withContinue({ kind: served.listKind, apiVersion: apiVersionOf(served), metadata }, endpoint);
  if (output.mediaType !== json || output.pretty) {
    const show = (stored: Stored): unknown => withoutKind(endpoint, objectOf(stored));
    return encodedList(head, listed, { output, codec, whole: objectOf, show, none: [] });
  }
  return { status: 200, headers: { "content-type": json }, body: jsonList(head, endpoint, listed.items) };
}

/** Lists up to this length are encoded in one go. */
const shortList = 200;

interface Encoding extends Pick<Shown, "output" | "codec"> {
  /** The item as the codec takes it. */
  whole(stored: Stored): KubeObject;
  /** The item as text shows it. */
  show(stored: Stored): unknown;
  /** The items of a list without any. */
  readonly none: [] | null;
}

/** A list whose items must be encoded: in pieces, if it is long and its form allows that. */
function encodedList(
  head: { readonly apiVersion: string; readonly kind: string; readonly metadata: object },
  listed: Listed,
  { output, codec, whole, show, none }: Encoding,
): HttpResponse {
  if (listed.items.length > shortList && codec?.encodeList !== undefined) {
    const body = codec.encodeList(head, mapped(listed.items, whole));
    return { status: 200, headers: { "content-type": output.mediaType }, body };
  }
  if (isLong(listed, output)) return inPieces(head, { name: "items", items: mapped(listed.items, show) }, output);
  const items = listed.items.length === 0 ? none : listed.items.map(show);
  return valueAnswer(200, { ...head, items } as unknown as KubeObject, output, codec);
}

function* mapped<T, R>(items: readonly T[], show: (item: T) => R): Generator<R> {
  for (const item of items) yield show(item);
}

const isLong = ({ items }: Listed, { mediaType }: Output): boolean =>
  items.length > shortList && (mediaType === json || mediaType === yaml);

function inPieces(
  head: object,
  { name, items }: { readonly name: string; readonly items: Iterable<unknown> },
  { mediaType, pretty }: Output,
): HttpResponse {
  const pieces = mediaType === yaml ? writeYamlList(head, name, items) : jsonListPieces(head, name, { items, pretty });
  return { status: 200, headers: { "content-type": mediaType }, body: piecesOf(pieces) };
}

/** Lists of custom kinds always have `continue`, even if it is empty. */
function withContinue<T extends { readonly metadata: object }>(head: T, { custom }: Endpoint): T {
  return custom ? { ...head, metadata: { continue: "", ...head.metadata } } : head;
}

/** Items of built-in lists lack kind and apiVersion, items of custom lists have them. */
function withoutKind({ custom }: Endpoint, object: KubeObject): unknown {
  if (custom) return object;
  const { kind: _kind, apiVersion: _version, ...rest } = object;
  return rest;
}
