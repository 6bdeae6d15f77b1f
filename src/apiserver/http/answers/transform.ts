/** The two reduced forms of objects: tables of cells, and metadata only. Pure. */
import { defined } from "../../../base/defined.js";
import { type KubeObject, newNotAcceptable } from "../../../api/index.js";
import type { Endpoint, View } from "../../contracts/endpoint.js";
import { defaultTable } from "../../table/index.js";
import type { Output } from "./negotiate.js";
import type { TableRenderer } from "../../contracts/table.js";

export interface TableOptions {
  readonly includeObject: "None" | "Metadata" | "Object";
  /** The wall time, for ages. */
  readonly now: number;
  readonly metaVersion: string;
}

/** An annotation that only whole objects show: it stands for a field that apps/v1 lacks. */
const hiddenAnnotation = "deprecated.daemonset.template.generation";

/** Shares the metadata; only the object around it is new. */
export function partialObject({ metadata }: KubeObject, metaVersion = "v1"): KubeObject {
  const shown = metadata.annotations?.[hiddenAnnotation] === undefined ? metadata : withoutHidden(metadata);
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${metaVersion}`, metadata: shown };
}

function withoutHidden({ annotations, ...metadata }: KubeObject["metadata"]): KubeObject["metadata"] {
  const { [hiddenAnnotation]: _, ...rest } = annotations ?? {};
  return Object.keys(rest).length === 0 ? metadata : { ...metadata, annotations: rest };
}

/** Throws 406 if the metadata of an object was requested under the name of a list's, or the other way round. */
export function checkPartial({ asked }: Output, { custom, served }: Endpoint, list: boolean): void {
  if (asked === (list ? "PartialObjectMetadataList" : "PartialObjectMetadata")) return;
  const kind = list ? served.listKind : served.kind;
  const home = served.group === "" ? "core" : served.group.split(".")[0];
  const name = custom ? `unstructured.Unstructured${list ? "List" : ""}` : `${home}.${kind}`;
  throw newNotAcceptable(`you requested ${asked}, but the requested object is ${list ? "" : "not "}a list (*${name})`);
}

function conditionsOf(table: TableRenderer, object: KubeObject): { readonly conditions?: readonly object[] } {
  const conditions = table.conditions?.(object);
  return defined({ conditions });
}

function rowObject(object: KubeObject, { includeObject, metaVersion }: TableOptions): KubeObject | null {
  if (includeObject === "None") return null;
  return includeObject === "Object" ? object : partialObject(object, metaVersion || "v1");
}

export function tableWithRows(
  { table }: Endpoint,
  views: readonly View[],
  options: TableOptions & { readonly metadata: object; readonly withoutColumns?: boolean },
): KubeObject {
  const { compare } = table;
  const objects = views.map(({ object }) => object);
  const rows = (compare === undefined ? objects : objects.toSorted(compare)).map((object) =>
    rowOf(table, object, options),
  );
  return {
    ...tableHead(table, options),
    // as upstream, kinds without a table of their own show null for no rows
    rows: rows.length === 0 && table === defaultTable ? null : rows,
  } as unknown as KubeObject;
}

/** A table without its rows. */
export function tableHead(
  table: TableRenderer,
  {
    metadata,
    metaVersion,
    withoutColumns,
  }: TableOptions & { readonly metadata: object; readonly withoutColumns?: boolean },
): object {
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${metaVersion || "v1"}`,
    metadata,
    columnDefinitions: withoutColumns ? null : table.columns,
  };
}

export function rowOf(table: TableRenderer, object: KubeObject, options: TableOptions): object {
  return {
    cells: table.cells(object, options.now),
    ...conditionsOf(table, object),
    object: rowObject(object, options),
  };
}
